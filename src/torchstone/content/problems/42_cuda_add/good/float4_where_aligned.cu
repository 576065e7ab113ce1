// Four floats a thread where all addresses allow it; the tail, and everything else, one by one.
#include <cuda_runtime.h>

#include <cstdint>

namespace {

__device__ bool is_aligned(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

}  // namespace

extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    // Four neighbours of b are one float4 only if it repeats after a multiple of four.
    const bool can_use_quads = is_aligned(a) && is_aligned(b) && is_aligned(out) && nb % 4 == 0;
    const long long num_quads = can_use_quads ? n / 4 : 0;
    for (long long quad = first; quad < num_quads; quad += stride) {
        float4 sum = reinterpret_cast<const float4*>(a)[quad];
        const float4 added = reinterpret_cast<const float4*>(b)[quad % (nb / 4)];
        sum.x += alpha * added.x;
        sum.y += alpha * added.y;
        sum.z += alpha * added.z;
        sum.w += alpha * added.w;
        reinterpret_cast<float4*>(out)[quad] = sum;
    }
    for (long long i = 4 * num_quads + first; i < n; i += stride) {
        out[i] = a[i] + alpha * b[i % nb];
    }
}

extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    const bool can_copy_quads = is_aligned(grad_out) && is_aligned(grad_a);
    const long long num_quads = grad_a && can_copy_quads ? n / 4 : 0;
    for (long long quad = first; quad < num_quads; quad += stride) {
        reinterpret_cast<float4*>(grad_a)[quad] = reinterpret_cast<const float4*>(grad_out)[quad];
    }
    for (long long i = 4 * num_quads + first; grad_a && i < n; i += stride) {
        grad_a[i] = grad_out[i];
    }
    for (long long i = first; grad_b && i < n; i += stride) {
        atomicAdd(&grad_b[i % nb], alpha * grad_out[i]);
    }
}
