// verdict: TLE | HUNG | RACE
// trick: A block waits for one that comes after it.
__device__ volatile int flag;
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (flag == 0) {
        }
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
