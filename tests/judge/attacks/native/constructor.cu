// verdict: CE
// trick: A function runs before the judge has called anything.
__attribute__((constructor)) static void first() {}
