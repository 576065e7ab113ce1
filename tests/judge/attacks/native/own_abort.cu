// verdict: CE | FORBIDDEN_OP
// trick: The launcher cannot give up, for abort is the submission's.
extern "C" [[noreturn]] void abort() noexcept {
    for (;;) {
    }
}
