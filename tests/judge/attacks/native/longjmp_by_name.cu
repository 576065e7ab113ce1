// verdict: FORBIDDEN_OP
// trick: It jumps out of the kernel into an initialiser.
extern "C" int _setjmp(void* buffer) noexcept;
extern "C" [[noreturn]] void longjmp(void* buffer, int value);
static unsigned long long buffer[64];
static const int where = _setjmp(buffer);
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    longjmp(buffer, 1);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
