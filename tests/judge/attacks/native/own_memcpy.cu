// verdict: CE | FORBIDDEN_OP
// trick: Its own memcpy copies nothing back.
extern "C" void* memcpy(void* to, const void*, size_t) noexcept { return to; }
