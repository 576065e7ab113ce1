// verdict: FORBIDDEN_OP
// trick: A kernel opens a socket.
extern "C" int socket(int domain, int type, int protocol);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    printf("%d\n", socket(2, 1, 0));
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
