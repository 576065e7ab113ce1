// verdict: OOB | RTE | WA | UNINIT
// trick: It writes over the table by which its module calls others.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    unsigned long long* at = (unsigned long long*)(void*)&add_forward;
    for (int i = 0; i < 1 << 16; i++) {
        ((volatile unsigned long long*)at)[i] = 0;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
