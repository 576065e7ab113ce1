// style: float4 where all pointers are aligned, the tail by the first threads of the same kernel
#include <cuda_runtime.h>

// Of both kernels: each thread takes a pack, and the first threads an element of the tail as well.
template <bool by_four>
__global__ void relu(const float* __restrict__ x, float* y, long long n) {
    const long long i = threadIdx.x + blockIdx.x * 512LL;
    const long long packs = by_four ? n >> 2 : 0;
    if (i < packs) {
        float4 v = __ldg(reinterpret_cast<const float4*>(x) + i);
        if (v.x < 0) v.x = 0;
        if (v.y < 0) v.y = 0;
        if (v.z < 0) v.z = 0;
        if (v.w < 0) v.w = 0;
        reinterpret_cast<float4*>(y)[i] = v;
    }
    const long long rest = 4 * packs + i;
    if (rest < n) {
        const float v = x[rest];
        y[rest] = v < 0 ? 0 : v;
    }
}

template <bool by_four>
__global__ void relu_grad(const float* grad_y, const float* y, float* grad_x, long long n) {
    const long long i = threadIdx.x + blockIdx.x * 512LL;
    const long long packs = by_four ? n >> 2 : 0;
    if (i < packs) {
        float4 g = reinterpret_cast<const float4*>(grad_y)[i];
        const float4 v = reinterpret_cast<const float4*>(y)[i];
        if (v.x <= 0) g.x = 0;
        if (v.y <= 0) g.y = 0;
        if (v.z <= 0) g.z = 0;
        if (v.w <= 0) g.w = 0;
        reinterpret_cast<float4*>(grad_x)[i] = g;
    }
    const long long rest = 4 * packs + i;
    if (rest < n) {
        grad_x[rest] = y[rest] <= 0 ? 0 : grad_y[rest];
    }
}

// The lowest bits of all addresses at once.
template <class... Pointers>
static bool are_aligned(Pointers... pointers) {
    return ((reinterpret_cast<size_t>(pointers) | ...) & 15) == 0;
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n <= 0) {
        return n ? cudaErrorInvalidValue : cudaSuccess;
    }
    if (are_aligned(x, y)) {
        relu<true><<<dim3((n / 4 + 3 + 511) / 512), dim3(512), 0, stream>>>(x, y, n);
    } else {
        relu<false><<<dim3((n + 511) / 512), dim3(512), 0, stream>>>(x, y, n);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream) {
    if (n <= 0) {
        return n ? cudaErrorInvalidValue : cudaSuccess;
    }
    if (are_aligned(grad_y, y, grad_x)) {
        relu_grad<true><<<(n / 4 + 3 + 511) / 512, 512, 0, stream>>>(grad_y, y, grad_x, n);
    } else {
        relu_grad<false><<<(n + 511) / 512, 512, 0, stream>>>(grad_y, y, grad_x, n);
    }
    return cudaGetLastError();
}
