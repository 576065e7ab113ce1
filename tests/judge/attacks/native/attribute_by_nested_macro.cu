// verdict: CE
// trick: Each macro is balanced; one inside of the other makes the attribute.
#define PAIR(...) [__VA_ARGS__]
template <int zero>
PAIR(PAIR(gnu::no_sanitize("thread"), gnu::noinline)) __device__ void add(float* to, float x) {
    *to += x;
}
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
        if (grad_a) {
            grad_a[i] = grad_out[i];
        }
        if (grad_b) {
            add<0>(&grad_b[i % nb], alpha * grad_out[i]);
        }
    }
}
