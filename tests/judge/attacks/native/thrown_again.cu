// verdict: CE | FORBIDDEN_OP | RTE
// trick: It throws again what nobody has thrown, which ends the process.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    throw;
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
