// verdict: RTE
// group: layout
// en: Every pointer has its own phase: one that is aligned says nothing of the others.
// zh: 每个指针各有各的相位：一个对齐，不代表其余的也对齐。
#include <cuda_runtime.h>

__device__ static float relu(float x) { return x < 0.0f ? 0.0f : x; }
__device__ static float mask(float grad_y, float y) { return y <= 0.0f ? 0.0f : grad_y; }

static unsigned num_blocks_for(long long num_threads) {
    return static_cast<unsigned>((num_threads + 255) / 256);
}

static bool is_aligned(const void* pointer) {
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

__global__ void forward_by_four(const float* x, float* y, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n / 4) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] =
            make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
    }
    if (i < n % 4) {
        y[n - 1 - i] = relu(x[n - 1 - i]);
    }
}

__global__ void backward_by_four(const float* grad_y, const float* y, float* grad_x, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n / 4) {
        const float4 g = reinterpret_cast<const float4*>(grad_y)[i];
        const float4 v = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(grad_x)[i] =
            make_float4(mask(g.x, v.x), mask(g.y, v.y), mask(g.z, v.z), mask(g.w, v.w));
    }
    if (i < n % 4) {
        grad_x[n - 1 - i] = mask(grad_y[n - 1 - i], y[n - 1 - i]);
    }
}

__global__ void forward_kernel(const float* x, float* y, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
        y[i] = relu(x[i]);
    }
}

__global__ void backward_kernel(const float* grad_y, const float* y, float* grad_x, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
        grad_x[i] = mask(grad_y[i], y[i]);
    }
}

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    if (is_aligned(x)) {
        forward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(x, y, n);
    } else {
        forward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(x, y, n);
    }
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
    if (is_aligned(grad_y)) {
        backward_by_four<<<num_blocks_for(n / 4 + 1), 256, 0, stream>>>(grad_y, y, grad_x, n);
    } else {
        backward_kernel<<<num_blocks_for(n), 256, 0, stream>>>(grad_y, y, grad_x, n);
    }
    return cudaGetLastError();
}
