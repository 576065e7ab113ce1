// verdict: CE
// trick: A macro that stands for 68 billion words.
#define L0 L1 L1 L1 L1 L1 L1 L1 L1
#define L1 L2 L2 L2 L2 L2 L2 L2 L2
#define L2 L3 L3 L3 L3 L3 L3 L3 L3
#define L3 L4 L4 L4 L4 L4 L4 L4 L4
#define L4 L5 L5 L5 L5 L5 L5 L5 L5
#define L5 L6 L6 L6 L6 L6 L6 L6 L6
#define L6 L7 L7 L7 L7 L7 L7 L7 L7
#define L7 L8 L8 L8 L8 L8 L8 L8 L8
#define L8 L9 L9 L9 L9 L9 L9 L9 L9
#define L9 L10 L10 L10 L10 L10 L10 L10 L10
#define L10 L11 L11 L11 L11 L11 L11 L11 L11
#define L11 L12 L12 L12 L12 L12 L12 L12 L12
#define L12 +1
static const int number = 0 L0;
