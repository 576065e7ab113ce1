// verdict: FORBIDDEN_OP
// trick: A host function copies results where it likes.
static void leak(void* to, const void* from) { cudaMemcpy(to, from, 4, cudaMemcpyDeviceToHost); }
static void (*const keep)(void*, const void*) = leak;
