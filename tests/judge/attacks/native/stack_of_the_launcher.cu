// verdict: OOB | RTE | WA | HUNG
// trick: It writes zeros over the stack on which it runs, upwards.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    volatile long long here = 1;
    for (volatile long long* at = &here;; at++) {
        *at = 0;
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
