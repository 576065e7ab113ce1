// verdict: CE
// trick: A literal with a suffix hides what comes behind it from a careless reader.
constexpr int operator""_q(unsigned long long x) { return (int)x; }
const char* text = R"x(")" )x";
const int one = 1'0_q; asm("nop"); //'
