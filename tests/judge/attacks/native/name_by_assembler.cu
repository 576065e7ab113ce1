// verdict: CE
// trick: A harmless declaration is given the name of another symbol.
extern "C" int harmless() __asm__("fork");
static const int child = harmless();
