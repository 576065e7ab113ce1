// verdict: RTE | OOB
// trick: A kernel recurses until its stack is used up.
__device__ int deep(volatile int* x) {
    volatile int here[64];
    here[0] = *x + 1;
    return deep(here) + here[0];
}
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    volatile int x = 0;
    out[0] = deep(&x);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
