// verdict: CE | FORBIDDEN_OP | RTE
// trick: An initialiser throws.
static int no() { throw 1; }
static const int never = no();
