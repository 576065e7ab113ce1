// verdict: WA value
// group: huge
// en: blockIdx.x * blockDim.x is an unsigned 32-bit product; cast before multiplying.
// zh: `blockIdx.x * blockDim.x` 是 32 位无符号乘法；先转成 64 位再相乘。
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long first = blockIdx.x * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = blockIdx.x * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        const float g = grad_out[i];
        if (grad_a) {
            grad_a[i] = g;
        }
        if (grad_b) {
            atomicAdd(&grad_b[i % nb], alpha * g);
        }
    }
}
