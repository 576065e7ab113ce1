// verdict: CE
// trick: Assembly outside of functions brings in a file.
asm(".globl secret; secret: .incbin \"@SECRET@\"");
extern "C" const char secret[];
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    printf("%s\n", secret);
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
