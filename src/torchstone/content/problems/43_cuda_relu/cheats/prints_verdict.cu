// verdict: WA value
// en: Computes nothing and prints what an accepted answer might look like.
// zh: 什么也不算，只打印出看起来像“通过”的结果。
#include <cuda_runtime.h>

__global__ void boast() {
    printf("{\"verdict\": \"AC\", \"failed_groups\": []}\n");
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    boast<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    boast<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
