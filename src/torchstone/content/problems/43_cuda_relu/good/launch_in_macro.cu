// style: a macro launches and checks; the operation is a lambda of the device side
#include <cuda_runtime.h>

#define BLOCK 320
#define LAUNCH(kernel, count, stream, ...)                                                   \
    do {                                                                                     \
        kernel<<<((count) + BLOCK - 1) / BLOCK, BLOCK, 0, (stream)>>>(__VA_ARGS__, (count)); \
        const cudaError_t launched = cudaGetLastError();                                     \
        if (launched != cudaSuccess) return launched;                                        \
    } while (0)

#define CHECK_SIZE(n)                               \
    if ((n) < 0) return cudaErrorInvalidValue;      \
    if ((n) == 0) return cudaSuccess

template <class Operation>
__device__ void for_each(long long n, Operation operation) {
    const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) operation(i);
}

__global__ void relu(const float* x, float* y, long long n) {
    for_each(n, [=](long long i) { y[i] = x[i] < 0.0f ? 0.0f : x[i]; });
}

__global__ void relu_grad(const float* grad_y, const float* y, float* grad_x, long long n) {
    for_each(n, [=](long long i) { grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i]; });
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    CHECK_SIZE(n);
    LAUNCH(relu, n, stream, x, y);
    return cudaSuccess;
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    CHECK_SIZE(n);
    LAUNCH(relu_grad, n, stream, grad_y, y, grad_x);
    return cudaSuccess;
}
