// verdict: CE | FORBIDDEN_OP
// trick: Its own operator new gives all the same memory.
static char memory[1 << 20];
void* operator new(size_t) { return memory; }
