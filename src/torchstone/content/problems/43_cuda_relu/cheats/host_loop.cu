// verdict: OOB
// en: The host walks over pointers of the device; nothing is launched.
// zh: 让主机直接遍历设备指针，根本不启动核函数。
#include <cuda_runtime.h>

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    for (long long i = 0; i < n; i++) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
    return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    for (long long i = 0; i < n; i++) {
        grad_x[i] = y[i] <= 0.0f ? 0.0f : grad_y[i];
    }
    return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
}
