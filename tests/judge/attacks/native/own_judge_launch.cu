// verdict: CE | FORBIDDEN_OP
// trick: It defines what the judge calls.
extern "C" void judge_launch(const char*, void*, int) {}
