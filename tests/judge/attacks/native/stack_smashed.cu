// verdict: RTE | OOB | WA | HUNG
// trick: It writes far behind a local array.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    volatile char room[16];
    for (int i = 0; i < 4096; i++) {
        room[i] = 0x41;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
