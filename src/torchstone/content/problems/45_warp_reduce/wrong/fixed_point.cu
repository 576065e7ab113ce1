// verdict: WA value
// group: edge
// en: Integers add up alike in every order, but they hold neither NaN nor infinity.
// zh: 整数相加与顺序无关，但表示不了 NaN 和无穷大。
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

static __device__ unsigned long long total;

static __global__ void clear() { total = 0; }

static __global__ void sum_by_block(const float* x, long long n) {
    const long long step = gridDim.x * static_cast<long long>(blockDim.x);
    float sum = 0.0f;
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n;
         i += step) {
        sum += x[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        // 32 bits behind the point; two's complement makes the unsigned sum right.
        atomicAdd(&total, static_cast<unsigned long long>(__float2ll_rn(sum * 4294967296.0f)));
    }
}

static __global__ void write_total(float* out) {
    *out = static_cast<float>(static_cast<long long>(total) / 4294967296.0);
}

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    const long long blocks = (n + 255) / 256;
    const unsigned grid = static_cast<unsigned>(blocks < 1 ? 1 : blocks < 1024 ? blocks : 1024);
    clear<<<1, 1, 0, stream>>>();
    sum_by_block<<<grid, 256, 0, stream>>>(x, n);
    write_total<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
