// style: double from the first element to the last, through shuffles of doubles
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

template <class T>
static __device__ T sum_in_warp(T v, unsigned mask) {
    const int lane = rank_in_block() % 32, count = __popc(mask);
    for (int offset = 16; offset > 0; offset /= 2) {
        const T other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < count) v += other;
    }
    return v;
}

template <class T>
static __device__ T sum_in_block(T v) {
    // Not `__shared__ T`: each type would have a place of its own.
    __shared__ double sums[33];
    const unsigned rank = rank_in_block(), warp = rank / 32, lane = rank % 32;
    const unsigned num_warps = (block_size() + 31) / 32, left = block_size() - 32 * warp;
    const unsigned mask = left < 32 ? (1u << left) - 1 : 0xffffffffu;
    v = sum_in_warp(v, mask);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (rank == 0) {
        double total = 0.0;
        for (unsigned i = 0; i < num_warps; i++) total += sums[i];
        sums[32] = total;
    }
    __syncthreads();
    return static_cast<T>(sums[32]);
}

extern "C" __device__ float block_sum(float v) { return sum_in_block(v); }

static __device__ double partials[1024];

static __global__ void sum_by_block(const float* x, long long n) {
    double sum = 0.0;
    for (long long i = blockIdx.x * 512LL + threadIdx.x; i < n; i += gridDim.x * 512LL) {
        sum += x[i];
    }
    sum = sum_in_block(sum);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

static __global__ void sum_partials(unsigned count, float* out) {
    const double sum = sum_in_block(threadIdx.x < count ? partials[threadIdx.x] : 0.0);
    if (threadIdx.x == 0) *out = static_cast<float>(sum);
}

extern "C" cudaError_t reduce_sum(const float* x, long long n, float* out, cudaStream_t stream) {
    if (n < 0) return cudaErrorInvalidValue;
    const long long blocks = (n + 511) / 512;
    const unsigned grid = static_cast<unsigned>(blocks < 1024 ? blocks : 1024);
    if (grid > 0) {
        sum_by_block<<<grid, 512, 0, stream>>>(x, n);
    }
    sum_partials<<<1, 1024, 0, stream>>>(grid, out);
    return cudaGetLastError();
}
