// 64-bit unsigned indices, and a loop whose condition stands at its end.
#include <cuda_runtime.h>

#include <cstdint>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const uint64_t size = n, period = nb;
    uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size) {
        return;
    }
    do {
        const float scaled = alpha * b[i % period];
        out[i] = a[i] + scaled;
        i += uint64_t{gridDim.x} * blockDim.x;
    } while (i < size);
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const uint64_t size = n, period = nb;
    uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size) {
        return;
    }
    do {
        if (grad_a) {
            grad_a[i] = grad_out[i];
        }
        if (grad_b) {
            atomicAdd(&grad_b[i % period], alpha * grad_out[i]);
        }
        i += uint64_t{gridDim.x} * blockDim.x;
    } while (i < size);
}
