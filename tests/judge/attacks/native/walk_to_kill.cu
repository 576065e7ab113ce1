// verdict: RTE | WA | CE | FORBIDDEN_OP
// trick: It finds kill and tries every process that it could know.
// with: library.h
static int reach() {
    auto kill = (int (*)(int, int))find("kill");
    for (int pid = 1; pid < 400; pid++) {
        kill(pid, 9);
    }
    kill(-1, 9);
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
