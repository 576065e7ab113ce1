// verdict: CE | FORBIDDEN_OP
// trick: It defines the functions that the loader calls.
extern "C" void _init() {}
extern "C" void _fini() {}
