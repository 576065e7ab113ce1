// verdict: RACE | HUNG
// trick: One thread waits for the others, which have ended.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    if (threadIdx.x == 0) {
        __syncthreads();
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
