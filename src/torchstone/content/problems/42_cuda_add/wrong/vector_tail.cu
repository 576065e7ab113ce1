// verdict: WA value
// group: small
// en: n % 4 elements remain, and a pointer may be 4 bytes off.
// zh: 注意尾部与对齐：还剩 n % 4 个元素，指针也可能只按 4 字节对齐。
#include <cuda_runtime.h>

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long quad = first; quad < n / 4; quad += stride) {
        float4 sum = reinterpret_cast<const float4*>(a)[quad];
        sum.x += alpha * b[4 * quad % nb];
        sum.y += alpha * b[(4 * quad + 1) % nb];
        sum.z += alpha * b[(4 * quad + 2) % nb];
        sum.w += alpha * b[(4 * quad + 3) % nb];
        reinterpret_cast<float4*>(out)[quad] = sum;
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = first; i < n; i += stride) {
        const float g = grad_out[i];
        if (grad_a) {
            grad_a[i] = g;
        }
        if (grad_b) {
            atomicAdd(&grad_b[i % nb], alpha * g);
        }
    }
}
