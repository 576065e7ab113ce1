// verdict: CE | FORBIDDEN_OP
// trick: It defines what the linker puts in the place of malloc.
extern "C" void* __wrap_malloc(size_t) { return nullptr; }
