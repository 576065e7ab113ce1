// verdict: RACE
// group: broadcast
// en: Blocks have no order: one clears what another has added.
// zh: 线程块之间没有先后次序：一个块会清掉另一个块已经加上的值。
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long j = first; grad_b && j < nb; j += stride) {
        grad_b[j] = 0.0f;
    }
    __syncthreads();
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
