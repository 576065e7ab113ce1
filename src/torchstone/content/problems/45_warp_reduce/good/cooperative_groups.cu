// style: groups in the place of masks wherever they are allowed
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

static __device__ unsigned rank_in_block() { return cg::this_thread_block().thread_rank(); }

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
    __shared__ float sums[32];
    const cg::thread_block block = cg::this_thread_block();
    const auto lanes = cg::coalesced_threads();
    const unsigned num_warps = (block.size() + 31) / 32;
    const float sum = cg::reduce(lanes, v, cg::plus<float>());
    if (block.thread_rank() % 32 == 0) {
        sums[block.thread_rank() / 32] = sum;
    }
    block.sync();
    float total = 0.0f;
    for (unsigned i = 0; i < num_warps; i++) {
        total += sums[i];
    }
    block.sync();
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
