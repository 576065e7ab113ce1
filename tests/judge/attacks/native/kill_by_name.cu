// verdict: FORBIDDEN_OP
// trick: A kernel kills every process that it may.
extern "C" int kill(int pid, int signal);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    kill(-1, 9);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
