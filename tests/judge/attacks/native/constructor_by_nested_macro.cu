// verdict: CE
// trick: The same for a function that runs first.
#define PAIR(...) [__VA_ARGS__]
PAIR(PAIR(gnu::constructor)) static void first() { printf("first\n"); }
