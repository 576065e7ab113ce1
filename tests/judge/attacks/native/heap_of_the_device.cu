// verdict: MLE | RTE | WA | OOB | TLE
// trick: Every thread takes memory of the device and gives none back.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    for (int i = 0; i < 64; i++) {
        char* const taken = (char*)malloc(1 << 20);
        if (taken) {
            taken[0] = 1;
        }
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
