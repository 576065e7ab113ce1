// expect: nothing
// Filter with warp-aggregated atomics through coalesced_threads, and the same with a hand-made ballot; a predicate as functor.
#include <cooperative_groups.h>
#include <algorithm>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__device__ int atomicAggInc(int* ctr) {
    auto g = cg::coalesced_threads();
    int warp_res;
    if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
    return g.shfl(warp_res, 0) + g.thread_rank();
}

__device__ int reserve_by_ballot(int* ctr, bool wanted) {
    const unsigned mask = __ballot_sync(0xffffffffu, wanted);
    const unsigned lane = threadIdx.x & 31u;
    int base = 0;
    if (mask == 0) return -1;
    const int leader = __ffs(mask) - 1;
    if (lane == leader) base = atomicAdd(ctr, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, leader);
    unsigned below;
    below = mask & ((1u << lane) - 1u);
    return wanted ? base + __popc(below) : -1;
}

struct Divisible {
    int by;
    __device__ bool operator()(int x) const { return x % by == 0; }
};

template <class Pred>
__global__ void filter_k(int* dst, int* nres, const int* src, int n, Pred pred) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id >= n) return;
    if (pred(src[id])) dst[atomicAggInc(nres)] = src[id];
}

template <class Pred>
__global__ void filter_ballot(int* dst, int* nres, const int* src, int n, Pred pred) {
    const int rounds = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    for (int r = 0; r < rounds; ++r) {
        int id = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        int v = id < n ? src[id] : 0;
        int at = reserve_by_ballot(nres, id < n && pred(v));
        if (at >= 0) dst[at] = v;
    }
}

int main() {
    const int n = 1013;
    std::vector<int> src(n);
    for (int i = 0; i < n; ++i) src[i] = (i * 7919) % 2003;
    int *d_src, *d_dst, *d_n;
    cudaMalloc(&d_src, n * sizeof(int));
    cudaMalloc(&d_dst, n * sizeof(int));
    cudaMalloc(&d_n, sizeof(int));
    cudaMemcpy(d_src, src.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int rc = 0;
    for (int way = 0; way < 2; ++way) {
        Divisible pred{3 + way};
        cudaMemset(d_n, 0, sizeof(int));
        if (way == 0)
            filter_k<<<(n + 127) / 128, 128>>>(d_dst, d_n, d_src, n, pred);
        else
            filter_ballot<<<3, 64>>>(d_dst, d_n, d_src, n, pred);
        int count;
        cudaMemcpy(&count, d_n, sizeof(int), cudaMemcpyDeviceToHost);
        std::vector<int> got(count), want;
        cudaMemcpy(got.data(), d_dst, count * sizeof(int), cudaMemcpyDeviceToHost);
        std::copy_if(src.begin(), src.end(), std::back_inserter(want), [&](int x) { return x % (3 + way) == 0; });
        std::sort(got.begin(), got.end());
        std::sort(want.begin(), want.end());
        if (got != want) rc = 1, printf("way %d: %d kept, not %zu\n", way, count, want.size());
    }
    cudaFree(d_src);
    cudaFree(d_dst);
    cudaFree(d_n);
    return rc;
}
