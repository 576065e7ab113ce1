#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr unsigned num_threads = 256;
constexpr unsigned most_blocks = 1024;
constexpr unsigned most_warps = 32;

// One sum of each block: the second kernel adds them, always in the same order.
__device__ float partials[most_blocks];

__device__ unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace

extern "C" __device__ float warp_sum(float v, unsigned mask) {
    const int lane = rank_in_block() % 32, count = __popc(mask);
    for (int offset = 16; offset > 0; offset /= 2) {
        // All lanes of the mask shuffle; only what came from one of them is added.
        const float other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < count) {
            v += other;
        }
    }
    return v;
}

extern "C" __device__ float block_sum(float v) {
    __shared__ float sums[most_warps];
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
        // With more than one warp the first is whole, so each sum has a lane.
        v = warp_sum(lane < num_warps ? sums[lane] : 0.0f, mask);
        if (lane == 0) {
            total = v;
        }
    }
    // Nobody is behind this barrier before `sums` has been read, and at the first barrier of the
    // next call before `total` has been: two places, two barriers.
    __syncthreads();
    return total;
}

namespace {

__device__ float sum_of(float4 four) { return (four.x + four.y) + (four.z + four.w); }

// `head` elements lie before the first multiple of 16 bytes, `num_packs` packs of four behind them.
__global__ void sum_by_block(const float* x, long long n, long long head, long long num_packs) {
    const long long first = blockIdx.x * static_cast<long long>(num_threads) + threadIdx.x;
    const long long step = gridDim.x * static_cast<long long>(num_threads);
    const float4* const packs = reinterpret_cast<const float4*>(x + head);
    float sum = 0.0f;
    for (long long i = first; i < num_packs; i += step) {
        sum += sum_of(packs[i]);
    }
    // What is left over, at most six: the first of it before the packs, the others behind them.
    for (long long i = first; i < n - 4 * num_packs; i += step) {
        sum += x[i < head ? i : i + 4 * num_packs];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

__global__ void sum_partials(unsigned num_partials, float* out) {
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < num_partials; i += num_threads) {
        sum += partials[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}

}  // namespace

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    const long long phase = reinterpret_cast<uintptr_t>(x) / sizeof(float) % 4;
    const long long wanted = (4 - phase) % 4, head = wanted < n ? wanted : n;
    const long long num_packs = (n - head) / 4;
    const long long blocks = (num_packs + num_threads - 1) / num_threads;
    // At least one, so that nothing sums up to 0.
    const auto grid = static_cast<unsigned>(min(max(blocks, 1LL), static_cast<long long>(most_blocks)));
    sum_by_block<<<grid, num_threads, 0, stream>>>(x, n, head, num_packs);
    sum_partials<<<1, num_threads, 0, stream>>>(grid, out);
    return cudaGetLastError();
}
