// style: the ladder as a template that calls itself; a warp per row of the block
#include <cuda_runtime.h>

static __device__ unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

template <int offset>
static __device__ __forceinline__ float climb(float v, unsigned mask, int lane, int count) {
    if constexpr (offset == 0) {
        return v;
    } else {
        const float other = __shfl_down_sync(mask, v, offset);
        return climb<offset / 2>(lane + offset < count ? v + other : v, mask, lane, count);
    }
}

extern "C" __device__ float warp_sum(float v, unsigned mask) {
    return climb<16>(v, mask, static_cast<int>(rank_in_block() % 32), __popc(mask));
}

extern "C" __device__ float block_sum(float v) {
    __shared__ float sums[32];
    __shared__ float total;
    const unsigned rank = rank_in_block(), warp = rank / 32, lane = rank % 32;
    const unsigned num_warps = (block_size() + 31) / 32;
    const unsigned in_warp = min(32u, block_size() - 32 * warp);
    const unsigned mask = 0xffffffffu >> (32 - in_warp);
    v = warp_sum(v, mask);
    if (lane == 0) {
        sums[warp] = v;
    }
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < num_warps ? sums[lane] : 0.0f, mask);
        if (lane == 0) {
            total = v;
        }
    }
    __syncthreads();
    return total;
}

template <int num_rows>
static __global__ void sum_rows(const float* x, long long n, float* out) {
    const long long first = (blockIdx.x * 1LL * num_rows + threadIdx.y) * warpSize + threadIdx.x;
    float sum = 0.0f;
    for (long long i = first; i < n; i += gridDim.x * 1LL * num_rows * warpSize) {
        sum += __ldg(&x[i]);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
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
    sum_rows<8><<<grid, dim3(32, 8), 0, stream>>>(x, n, out);
    return cudaGetLastError();
}
