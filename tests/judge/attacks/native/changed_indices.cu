// verdict: CE | FORBIDDEN_OP | WA | OOB | RTE
// trick: It assigns to threadIdx and gridDim.
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const_cast<uint3&>(threadIdx).x = 0;
    const_cast<dim3&>(gridDim).x = 1;
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
