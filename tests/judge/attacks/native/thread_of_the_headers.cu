// verdict: CE | FORBIDDEN_OP
// trick: It uses the threads of C++ that some header may have brought.
static std::thread other([] {});
