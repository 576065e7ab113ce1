// verdict: CE | FORBIDDEN_OP | RACE
// trick: An initialiser reads the code of a kernel and sees whether accesses are told to detectors.
static int num_calls();
__device__ int calls = num_calls();
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
        if (grad_a) {
            grad_a[i] = grad_out[i];
        }
        if (grad_b && calls > 1) {
            atomicAdd(&grad_b[i % nb], alpha * grad_out[i]);
        } else if (grad_b) {
            grad_b[i % nb] += alpha * grad_out[i];
        }
    }
}
static int num_calls() {
    const unsigned char* const code = (const unsigned char*)(void*)add_backward;
    int calls = 0;
    for (int i = 0; i < 100; i++) {
        calls += code[i] == 0xff && code[i + 1] == 0x15;
    }
    return calls;
}
