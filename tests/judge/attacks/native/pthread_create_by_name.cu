// verdict: FORBIDDEN_OP
// trick: A kernel starts threads without end.
extern "C" int pthread_create(unsigned long* id, const void*, void* (*run)(void*), void*);
static void* spin(void*) {
    for (;;) {
    }
}
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    unsigned long id;
    for (;;) {
        pthread_create(&id, nullptr, spin, nullptr);
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
