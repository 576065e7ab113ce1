// verdict: FORBIDDEN_OP | WA property
// en: A copy to the host whose direction is named nowhere: cudaMemcpyDefault finds it out.
// zh: 不写明方向的主机拷贝：`cudaMemcpyDefault` 会自己判断方向。
#include <cuda_runtime.h>

static float host[1 << 16];

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    for (long long first = 0; first < n; first += 1 << 16) {
        const long long rest = n - first, count = rest < (1 << 16) ? rest : 1 << 16;
        cudaMemcpyAsync(host, x + first, count * sizeof(float), cudaMemcpyDefault, stream);
        cudaStreamSynchronize(stream);
        for (long long i = 0; i < count; i++) {
            host[i] = host[i] < 0.0f ? 0.0f : host[i];
        }
        cudaMemcpyAsync(y + first, host, count * sizeof(float), cudaMemcpyDefault, stream);
    }
    return cudaSuccess;
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    static float grads[1 << 16];
    for (long long first = 0; first < n; first += 1 << 16) {
        const long long rest = n - first, count = rest < (1 << 16) ? rest : 1 << 16;
        cudaMemcpyAsync(host, y + first, count * sizeof(float), cudaMemcpyDefault, stream);
        cudaMemcpyAsync(grads, grad_y + first, count * sizeof(float), cudaMemcpyDefault, stream);
        cudaStreamSynchronize(stream);
        for (long long i = 0; i < count; i++) {
            grads[i] = host[i] <= 0.0f ? 0.0f : grads[i];
        }
        cudaMemcpyAsync(grad_x + first, grads, count * sizeof(float), cudaMemcpyDefault, stream);
    }
    return cudaSuccess;
}
