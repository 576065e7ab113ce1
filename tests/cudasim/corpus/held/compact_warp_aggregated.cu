// expect: nothing
// Stream compaction with warp-aggregated atomics; the order of the result is free, so the host sorts before it compares.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

__device__ int atomicAggInc(int *ctr) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1;
    int lane = threadIdx.x % 32, res = 0;
    if (lane == leader) res = atomicAdd(ctr, __popc(mask));
    res = __shfl_sync(mask, res, leader);
    return res + __popc(mask & ((1u << lane) - 1));
}

template <typename Pred>
__global__ void filter(const int *src, int *dst, int *count, int n, Pred keep) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    int v = src[i];
    if (keep(v)) dst[atomicAggInc(count)] = v;
}

struct GreaterThan {
    int limit;
    __host__ __device__ bool operator()(int v) const { return v > limit; }
};

int main() {
    const int n = 1299;
    std::vector<int> src(n), want;
    for (int i = 0; i < n; ++i) src[i] = i * 331 % 2003 - 1000;
    GreaterThan keep{120};
    std::copy_if(src.begin(), src.end(), std::back_inserter(want), keep);
    int *d_src, *d_dst, *d_count, count = 0;
    cudaMalloc(&d_src, n * sizeof(int));
    cudaMalloc(&d_dst, n * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_src, src.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));
    filter<<<(n + 191) / 192, 192>>>(d_src, d_dst, d_count, n, keep);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> got(count);
    cudaMemcpy(got.data(), d_dst, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_src);
    cudaFree(d_dst);
    cudaFree(d_count);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    if (got != want) { printf("%d kept, %zu expected\n", count, want.size()); return 1; }
    return 0;
}
