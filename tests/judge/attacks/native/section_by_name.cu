// verdict: CE | FORBIDDEN_OP
// trick: A name of a function holds a whole line of assembly.
extern "C" int harmless() asm("fork\n.incbin \"@SECRET@\"");
static const int child = harmless();
