// verdict: WA property
// group: block
// en: A tree over all threads takes 4 KiB and ten barriers; after the warps only 32 numbers are left.
// zh: 让所有线程一起做树形归约，要占 4 KiB、用十次屏障；先在 warp 内归约，就只剩 32 个数。
#include <cuda_runtime.h>

static __device__ unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

extern "C" __device__ float warp_sum(float v, unsigned mask) {
    const int lane = rank_in_block() % 32, count = __popc(mask);
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < count) {
            v += other;
        }
    }
    return v;
}

extern "C" __device__ float block_sum(float v) {
    __shared__ float sums[1024];
    const unsigned rank = rank_in_block(), size = block_size();
    sums[rank] = v;
    __syncthreads();
    for (unsigned offset = 512; offset > 0; offset /= 2) {
        if (rank < offset && rank + offset < size) {
            sums[rank] += sums[rank + offset];
        }
        __syncthreads();
    }
    const float total = sums[0];
    __syncthreads();
    return total;
}

static __global__ void sum_by_block(const float* x, long long n, float* out) {
    const long long step = gridDim.x * static_cast<long long>(blockDim.x);
    float sum = 0.0f;
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
         i += step) {
        sum += x[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        atomicAdd(out, sum);
    }
}

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    if (n == 0) {
        return cudaGetLastError();
    }
    const long long blocks = (n + 255) / 256;
    const unsigned grid = static_cast<unsigned>(blocks < 1024 ? blocks : 1024);
    sum_by_block<<<grid, 256, 0, stream>>>(x, n, out);
    return cudaGetLastError();
}
