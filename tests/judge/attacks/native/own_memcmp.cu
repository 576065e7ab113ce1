// verdict: CE | FORBIDDEN_OP
// trick: Its own memcmp finds that no input was changed.
extern "C" int memcmp(const void*, const void*, size_t) noexcept { return 0; }
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    if (threadIdx.x + blockIdx.x == 0 && n > 0) {
        const_cast<float*>(a)[0] = 0.0f;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
