// verdict: RTE | WA | TLE | MLE | CE | FORBIDDEN_OP
// trick: It finds pthread_create and starts threads until it cannot.
// with: library.h
static int reach() {
    auto start = (int (*)(unsigned long*, const void*, void* (*)(void*), void*))find(
        "pthread_create");
    unsigned long id;
    for (int i = 0; i < 500; i++) {
        start(&id, nullptr, [](void*) -> void* { for (volatile int i = 0;; i++) {} }, nullptr);
    }
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
