// verdict: SLOW
// group: perf
// en: <<<1, 1>>> uses one lane of one warp of one multiprocessor.
// zh: <<<1, 1>>> 只用了一个 SM 上一个 warp 里的一个 lane。
#include <cuda_runtime.h>

__global__ void forward_kernel(const float* x, float* y, long long n) {
    for (long long i = 0; i < n; i++) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}

__global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
    for (long long i = 0; i < n; i++) {
        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
    }
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    forward_kernel<<<1, 1, 0, stream>>>(x, y, n);
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
    backward_kernel<<<1, 1, 0, stream>>>(grad_y, y, grad_x, n);
    return cudaGetLastError();
}
