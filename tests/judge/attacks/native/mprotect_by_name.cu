// verdict: FORBIDDEN_OP
// trick: It makes its own code writable.
extern "C" int mprotect(void* from, unsigned long size, int protection);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    mprotect((void*)((unsigned long long)(void*)add_forward & ~4095ULL), 4096, 7);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
