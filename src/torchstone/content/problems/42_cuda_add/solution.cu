// Grid-stride loops. The grid is the caller's choice: a thread begins at its own number and goes on
// by the number of all threads, so that every element is met once whatever was launched.
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    // blockIdx.x * blockDim.x is a product of 32 bits; one factor is widened before it is taken.
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        // No short cut for alpha = 0: 0 * NaN and 0 * inf are NaN.
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        const float g = grad_out[i];
        if (grad_a) {
            grad_a[i] = g;
        }
        if (grad_b) {
            // n / nb elements share a column, and no two of their threads know of each other.
            atomicAdd(&grad_b[i % nb], alpha * g);
        }
    }
}
