// verdict: CE | FORBIDDEN_OP
// trick: Its own malloc is called by everybody in the process.
extern "C" void* malloc(size_t) noexcept { return nullptr; }
