// verdict: WA value
// group: small
// en: A __device__ array keeps what an earlier, larger call left there: add only what this one wrote.
// zh: `__device__` 数组里还留着之前更大的调用写下的值：只能把这一次写的加起来。
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

static __device__ float partials[1024];

static __global__ void sum_by_block(const float* x, long long n) {
    const long long step = gridDim.x * static_cast<long long>(blockDim.x);
    float sum = 0.0f;
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
         i += step) {
        sum += x[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

static __global__ void sum_partials(float* out) {
    const float sum = block_sum(partials[threadIdx.x]);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    const long long blocks = (n + 255) / 256;
    const unsigned grid = static_cast<unsigned>(blocks < 1 ? 1 : blocks < 1024 ? blocks : 1024);
    sum_by_block<<<grid, 256, 0, stream>>>(x, n);
    sum_partials<<<1, 1024, 0, stream>>>(out);
    return cudaGetLastError();
}
