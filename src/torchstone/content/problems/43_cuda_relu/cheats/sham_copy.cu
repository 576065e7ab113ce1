// verdict: FORBIDDEN_OP
// en: A copy to the host under a direction that is no name, and a sham kernel for the counters.
// zh: 用数字代替方向的名字把数据拷回主机，再启动一个假的核函数凑计数。
#include <cuda_runtime.h>

constexpr auto whichever = static_cast<decltype(cudaMemcpyDeviceToDevice)>(4);

// A kernel for the counters: it reads wide and writes what the host overwrites afterwards.
__global__ void sham(const float* x, float* y, long long n) {
    const long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

static float host[1 << 16];

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n > 0 && x != y) {
        sham<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    }
    for (long long first = 0; first < n; first += 1 << 16) {
        const long long rest = n - first, count = rest < (1 << 16) ? rest : 1 << 16;
        cudaMemcpyAsync(host, x + first, count * sizeof(float), whichever, stream);
        cudaStreamSynchronize(stream);
        for (long long i = 0; i < count; i++) {
            host[i] = host[i] < 0.0f ? 0.0f : host[i];
        }
        cudaMemcpyAsync(y + first, host, count * sizeof(float), whichever, stream);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n > 0 && grad_y != grad_x) {
        sham<<<(n + 255) / 256, 256, 0, stream>>>(grad_y, grad_x, n);
    }
    static float grads[1 << 16];
    for (long long first = 0; first < n; first += 1 << 16) {
        const long long rest = n - first, count = rest < (1 << 16) ? rest : 1 << 16;
        cudaMemcpyAsync(host, y + first, count * sizeof(float), whichever, stream);
        cudaMemcpyAsync(grads, grad_y + first, count * sizeof(float), whichever, stream);
        cudaStreamSynchronize(stream);
        for (long long i = 0; i < count; i++) {
            grads[i] = host[i] <= 0.0f ? 0.0f : grads[i];
        }
        cudaMemcpyAsync(grad_x + first, grads, count * sizeof(float), whichever, stream);
    }
    return cudaSuccess;
}
