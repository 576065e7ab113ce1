// verdict: FORBIDDEN_OP
// trick: The function that makes any system call, in the disguise of an alias.
extern "C" long syscall(long number, ...);
static long (*const harmless)(long, ...) = syscall;
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    harmless(57);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
