// verdict: RTE | WA | TLE | CE | FORBIDDEN_OP
// trick: It finds signal, ignores all of them and does not end.
// with: library.h
static int reach() {
    auto signal = (void* (*)(int, void*))find("signal");
    for (int number = 1; number < 65; number++) {
        signal(number, (void*)1);
    }
    for (volatile int i = 0;; i++) {
    }
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
