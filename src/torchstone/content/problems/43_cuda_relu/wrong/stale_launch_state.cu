// verdict: WA value
// group: small
// en: A static of the host outlives the call: the grid of the first call is no grid for the next.
// zh: 主机端的静态变量在调用结束后依然存在：第一次调用的网格并不适合下一次。
#include <cuda_runtime.h>

static unsigned num_blocks_for(long long n) {
    return static_cast<unsigned>((n + 255) / 256);
}

__global__ void forward_kernel(const float* x, float* y, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}

__global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
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
    static const unsigned num_blocks = num_blocks_for(n);
    forward_kernel<<<num_blocks, 256, 0, stream>>>(x, y, n);
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
    static const unsigned num_blocks = num_blocks_for(n);
    backward_kernel<<<num_blocks, 256, 0, stream>>>(grad_y, y, grad_x, n);
    return cudaGetLastError();
}
