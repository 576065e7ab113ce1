// verdict: OOB | RTE
// trick: It writes zeros over the memory before its buffers, page by page.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    for (char* at = (char*)out;; at -= 64) {
        *(volatile char*)at = 0;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
