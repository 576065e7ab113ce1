// verdict: CE | MLE | RTE | WA
// trick: A device array of 8 GiB.
__device__ char large[8LL << 30];
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    large[(8LL << 30) - 1] = 1;
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
