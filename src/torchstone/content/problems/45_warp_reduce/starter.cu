#include <cuda_runtime.h>

// Called by the lanes that `mask` names: the lowest of a warp. Lane 0 returns the sum of their v.
extern "C" __device__ float warp_sum(float v, unsigned mask) {
    // Write it here.
    return v;
}

// Called by every thread of a block of any shape. Each returns the sum of all v.
extern "C" __device__ float block_sum(float v) {
    // Write it here.
    return v;
}

// *out = the sum of the n elements of x. Write a kernel and launch it on `stream`.
extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}
