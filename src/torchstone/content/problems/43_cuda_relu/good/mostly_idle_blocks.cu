// style: always 4096 blocks, most of which have nothing to do
#include <cuda_runtime.h>

static __global__ void relu(const float* x, float* y, long long n) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}

static __global__ void relu_grad(const float* grad_y, const float* y, float* grad_x, long long n) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
    }
}

constexpr int num_threads = 256, num_blocks = 4096;

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    relu<<<num_blocks, num_threads, 0, stream>>>(x, y, n);
    return cudaPeekAtLastError();
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    relu_grad<<<num_blocks, num_threads, 0, stream>>>(grad_y, y, grad_x, n);
    return cudaPeekAtLastError();
}
