// verdict: FORBIDDEN_OP
// en: The host computes; the device only stores the result.
// zh: 由主机计算，设备只负责存放结果。
#include <cuda_runtime.h>

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    static float host[1 << 16];
    for (long long first = 0; first < n; first += 1 << 16) {
        const long long rest = n - first, count = rest < (1 << 16) ? rest : 1 << 16;
        cudaMemcpy(host, x + first, count * sizeof(float), cudaMemcpyDeviceToHost);
        for (long long i = 0; i < count; i++) {
            host[i] = host[i] < 0.0f ? 0.0f : host[i];
        }
        cudaMemcpy(y + first, host, count * sizeof(float), cudaMemcpyHostToDevice);
    }
    return cudaSuccess;
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
}
