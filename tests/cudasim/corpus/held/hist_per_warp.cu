// expect: nothing
// 64-bin histogram with one sub-histogram per warp, packed bytes read four at a time, merged by a second kernel.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned int uint;
typedef unsigned char uchar;

namespace {
constexpr uint WARPS = 6, BINS = 64, THREADS = WARPS * 32;

__device__ inline void addByte(uint *s_warpHist, uint data) { atomicAdd(s_warpHist + data, 1); }

__device__ inline void addWord(uint *s_warpHist, uint data) {
    addByte(s_warpHist, (data >> 2) & 0x3fU);
    addByte(s_warpHist, (data >> 10) & 0x3fU);
    addByte(s_warpHist, (data >> 18) & 0x3fU);
    addByte(s_warpHist, (data >> 26) & 0x3fU);
}

__global__ void histogram64(uint *d_partial, const uint *d_data, uint words) {
    __shared__ uint s_hist[WARPS * BINS];
    uint *s_warpHist = s_hist + (threadIdx.x >> 5) * BINS;
#pragma unroll
    for (uint i = 0; i < (WARPS * BINS) / THREADS; i++) s_hist[threadIdx.x + i * THREADS] = 0;
    __syncthreads();
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < words; pos += blockDim.x * gridDim.x)
        addWord(s_warpHist, d_data[pos]);
    __syncthreads();
    for (uint bin = threadIdx.x; bin < BINS; bin += THREADS) {
        uint sum = 0;
        for (uint w = 0; w < WARPS; w++) sum += s_hist[bin + w * BINS];
        d_partial[blockIdx.x * BINS + bin] = sum;
    }
}

__global__ void merge64(uint *d_hist, const uint *d_partial, uint count) {
    __shared__ uint data[128];
    uint sum = 0;
    for (uint i = threadIdx.x; i < count; i += 128) sum += d_partial[blockIdx.x + i * BINS];
    data[threadIdx.x] = sum;
    for (uint stride = 64; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) d_hist[blockIdx.x] = data[0];
}
}  // namespace

int main() {
    const uint words = 1501, blocks = 5;
    std::vector<uchar> data(words * 4);
    for (size_t i = 0; i < data.size(); i++) data[i] = (uchar)(i * i % 251);
    uint *d_data, *d_partial, *d_hist, hist[BINS], want[BINS];
    memset(want, 0, sizeof want);
    for (uchar c : data) want[c >> 2]++;
    cudaMalloc(&d_data, data.size());
    cudaMalloc(&d_partial, blocks * BINS * sizeof(uint));
    cudaMalloc(&d_hist, sizeof hist);
    cudaMemcpy(d_data, data.data(), data.size(), cudaMemcpyHostToDevice);
    histogram64<<<blocks, THREADS>>>(d_partial, d_data, words);
    merge64<<<BINS, 128>>>(d_hist, d_partial, blocks);
    cudaMemcpy(hist, d_hist, sizeof hist, cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_partial);
    cudaFree(d_hist);
    if (memcmp(hist, want, sizeof hist)) { puts("histogram differs"); return 1; }
    return 0;
}
