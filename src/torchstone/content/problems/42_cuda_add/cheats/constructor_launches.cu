// verdict: WA value
// en: The work is launched by a constructor, where no pointer is known yet.
// zh: 在构造函数里启动核函数；那时还没有任何指针，算不出答案。
#include <cuda_runtime.h>

__device__ float table[4096];

__global__ void fill_table() {
    table[threadIdx.x] = 1.0f;
}

struct Early {
    Early() { fill_table<<<1, 256>>>(); }
} early;

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = table[i % 4096];
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
