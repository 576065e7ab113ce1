// verdict: WA value
// group: small
// en: Read blockDim; never assume it.
// zh: 使用 `blockDim`，不要假设它的大小。
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * 256;
    for (long long i = first; i < n; i += stride) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * 256;
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
