// expect: nothing
// Scan then propagate in three kernels: tiles by warp shuffles, the tile sums by one block, then the sums added.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

static constexpr int BLOCK = 128;

__device__ int warp_inclusive(int v) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int up = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += up;
    }
    return v;
}

__device__ int block_inclusive(int v) {
    __shared__ int warp_sums[BLOCK / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_inclusive(v);
    if (lane == 31) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < BLOCK / 32 ? warp_sums[lane] : 0;
        s = warp_inclusive(s);
        if (lane < BLOCK / 32) warp_sums[lane] = s;
    }
    __syncthreads();
    return warp > 0 ? v + warp_sums[warp - 1] : v;
}

__global__ void scan_tiles(const int* in, int* out, int* sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int v = block_inclusive(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
    if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = v;
}

__global__ void scan_sums(int* sums, int count) {
    int v = threadIdx.x < count ? sums[threadIdx.x] : 0;
    v = block_inclusive(v);
    if (threadIdx.x < count) sums[threadIdx.x] = v;
}

__global__ void add_sums(int* out, const int* sums, int n) {
    int i = (blockIdx.x + 1) * BLOCK + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

int main() {
    const int n = 1777, tiles = (n + BLOCK - 1) / BLOCK;
    std::vector<int> in(n), out(n), want(n);
    for (int i = 0; i < n; i++) in[i] = i % 11 - 4;
    std::partial_sum(in.begin(), in.end(), want.begin());
    int *d_in, *d_out, *d_sums;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_sums, tiles * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    auto start = std::chrono::steady_clock::now();
    scan_tiles<<<tiles, BLOCK>>>(d_in, d_out, d_sums, n);
    scan_sums<<<1, BLOCK>>>(d_sums, tiles);
    add_sums<<<tiles - 1, BLOCK>>>(d_out, d_sums, n);
    cudaDeviceSynchronize();
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    printf("took %.3f ms\n", ms.count());
    if (out != want) { puts("scan is wrong"); return 1; }
    return 0;
}
