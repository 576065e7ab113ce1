// verdict: RTE | WA | OOB | CE | FORBIDDEN_OP
// trick: It finds system in the C library.
// with: library.h
static int reach() {
    auto run = (int (*)(const char*))find("system");
    run("cat @SECRET@; echo x > @OUTSIDE@/x");
    auto leave = (void (*)(int))find("_exit");
    leave(0);
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
