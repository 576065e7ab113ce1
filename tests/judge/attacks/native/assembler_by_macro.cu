// verdict: CE
// trick: The word asm is made of two parts.
#define JOIN(a, b) a##b
JOIN(a, sm)("nop");
