// verdict: OOB | RTE
// trick: It reads the page at zero and an address that is none.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    out[0] = *(volatile float*)0x8000000000000000ULL + *(volatile float*)8;
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
