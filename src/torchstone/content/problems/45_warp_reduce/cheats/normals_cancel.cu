// verdict: WA value
// en: Returns 0, because numbers of both signs nearly cancel.
// zh: 一律返回 0，因为正负数大致会抵消。
#include <cuda_runtime.h>

static __device__ unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

extern "C" __device__ float warp_sum(float v, unsigned mask) {
    for (int offset = 16; offset > 0; offset /= 2) {
        v = __shfl_down_sync(mask, v, offset);
    }
    return 0.0f;
}

extern "C" __device__ float block_sum(float) { return 0.0f; }

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    return n < 0 ? cudaErrorInvalidValue : cudaMemsetAsync(out, 0, sizeof(float), stream);
}
