// verdict: WA value
// en: Copies the input and hopes that every element is positive.
// zh: 直接拷贝输入，指望每个元素都是正数。
#include <cuda_runtime.h>

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    return cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    return cudaMemcpyAsync(grad_x, grad_y, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}
