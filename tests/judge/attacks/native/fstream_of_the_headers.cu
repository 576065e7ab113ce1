// verdict: CE | FORBIDDEN_OP
// trick: It uses the streams of C++ that some header may have brought.
static std::ifstream file("@SECRET@");
