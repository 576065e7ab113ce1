// style: pairs by 8 bytes where the addresses allow it; a two-dimensional block
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

static __device__ __forceinline__ float pick(float test, float value, bool keeps_zero) {
    return std::isnan(test) || test > 0.0f || (keeps_zero && test == 0.0f) ? value : 0.0f;
}

static __device__ long long my_number() {
    const long long in_block = threadIdx.y * blockDim.x + threadIdx.x;
    return static_cast<long long>(blockIdx.x) * (blockDim.x * blockDim.y) + in_block;
}

static __global__ void relu(const float* x, float* y, long long n, bool by_two) {
    const long long i = my_number();
    if (!by_two) {
        if (i < n) y[i] = pick(x[i], x[i], true);
        return;
    }
    if (2 * i + 1 < n) {
        const float2 v = reinterpret_cast<const float2*>(x)[i];
        reinterpret_cast<float2*>(y)[i] = float2{pick(v.x, v.x, true), pick(v.y, v.y, true)};
    } else if (2 * i < n) {
        y[n - 1] = pick(x[n - 1], x[n - 1], true);
    }
}

static __global__ void relu_grad(const float* grad_y, const float* y, float* grad_x, long long n,
                                 bool by_two) {
    const long long i = my_number();
    if (!by_two) {
        if (i < n) grad_x[i] = pick(y[i], grad_y[i], false);
        return;
    }
    if (2 * i + 1 < n) {
        const float2 v = reinterpret_cast<const float2*>(y)[i];
        const float2 g = reinterpret_cast<const float2*>(grad_y)[i];
        reinterpret_cast<float2*>(grad_x)[i] = float2{pick(v.x, g.x, false), pick(v.y, g.y, false)};
    } else if (2 * i < n) {
        grad_x[n - 1] = pick(y[n - 1], grad_y[n - 1], false);
    }
}

static bool reaches_pairs(const void* pointer) {
    return !(reinterpret_cast<uintptr_t>(pointer) & 7);
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    const bool by_two = reaches_pairs(x) && reaches_pairs(y);
    const long long items = by_two ? (n + 1) / 2 : n;
    const dim3 block(32, 4), grid(static_cast<unsigned>((items + 127) / 128));
    relu<<<grid, block, 0, stream>>>(x, y, n, by_two);
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
    const bool by_two = reaches_pairs(grad_y) && reaches_pairs(y) && reaches_pairs(grad_x);
    const long long items = by_two ? (n + 1) / 2 : n;
    const dim3 block(32, 4), grid(static_cast<unsigned>((items + 127) / 128));
    relu_grad<<<grid, block, 0, stream>>>(grad_y, y, grad_x, n, by_two);
    return cudaGetLastError();
}
