// verdict: OOB | WA | UNINIT | RTE
// trick: It keeps a pointer to the memory of the launch before, where the answer lay.
__device__ float* before;
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    if (blockIdx.x + threadIdx.x == 0) {
        for (long long i = 0; before && i < n; i++) {
            out[i] = before[i];
        }
        before = out;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
