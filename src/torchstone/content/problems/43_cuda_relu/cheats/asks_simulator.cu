// verdict: CE
// en: Looks which build it is in, so as to be counted by one kernel and timed by another.
// zh: 先看自己处在哪个构建里：计数时用一个核函数，计时时用另一个。
#include <cuda_runtime.h>

#ifdef CUSIM_CHECK
constexpr int num_threads = 256;
#else
constexpr int num_threads = 1;
#endif

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
    forward_kernel<<<num_blocks_for(n), num_threads, 0, stream>>>(x, y, n);
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
    backward_kernel<<<num_blocks_for(n), num_threads, 0, stream>>>(grad_y, y, grad_x, n);
    return cudaGetLastError();
}
