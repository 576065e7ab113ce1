// verdict: FORBIDDEN_OP
// trick: A kernel starts a shell.
extern "C" int execve(const char* path, char* const* arguments, char* const* environment);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    char* const arguments[] = {(char*)"sh", (char*)"-c", (char*)"echo x > @OUTSIDE@/x", nullptr};
    execve("/bin/sh", arguments, nullptr);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
