// verdict: FORBIDDEN_OP
// trick: It asks the loader for the functions that it may not call.
extern "C" void* dlopen(const char* path, int flags);
extern "C" void* dlsym(void* library, const char* name);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    auto run = (int (*)(const char*))dlsym(dlopen(nullptr, 2), "system");
    run("echo x > @OUTSIDE@/x");
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
