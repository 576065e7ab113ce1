// verdict: FORBIDDEN_OP
// trick: A kernel writes a file of the host.
extern "C" int open(const char* path, int flags, ...);
extern "C" long write(int fd, const void* from, unsigned long size);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const int fd = open("@OUTSIDE@/written", 0102, 0644);
    write(fd, "written", 7);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
