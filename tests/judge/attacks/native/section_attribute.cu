// verdict: CE
// trick: A table of initialisers of its own.
static void first() {}
__attribute__((section(".init_array"), used)) static void (*const entry)() = first;
