// verdict: CE
// trick: A kernel makes a system call by inline assembly.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    asm volatile("mov $60, %eax; xor %edi, %edi; syscall");
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
