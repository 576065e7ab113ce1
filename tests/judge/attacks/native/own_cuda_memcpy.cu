// verdict: CE | FORBIDDEN_OP
// trick: It defines the function by which results are copied back.
extern "C" int cudaMemcpy(void*, const void*, size_t, int) { return 0; }
