// expect: nothing
// Each warp sorts 32 64-bit keys by shuffles, blocks merge pairs of runs by ranks; block size 96, last warp partly padded.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

using Key = unsigned long long;

__device__ Key warp_sort(Key k) {
    const unsigned lane = threadIdx.x & 31u;
#pragma unroll
    for (unsigned size = 2; size <= 32; size <<= 1)
#pragma unroll
        for (unsigned j = size >> 1; j; j >>= 1) {
            const Key o = __shfl_xor_sync(0xffffffffu, k, j);
            const bool up = !(lane & size), low = !(lane & j);
            k = (k < o) == (up == low) ? k : o;
        }
    return k;
}

__global__ void sort_runs(const Key* in, Key* out, int n) {
    extern __shared__ Key s[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, warps = blockDim.x / 32;
    s[threadIdx.x] = warp_sort(i < n ? in[i] : ~0ull);
    __syncthreads();
    const Key mine = s[threadIdx.x];
    int rank = threadIdx.x & 31;
    for (int w = 0; w < warps; ++w) {
        if (w == int(threadIdx.x) / 32) continue;
        const Key* run = s + w * 32;
        int lo = 0, hi = 32;
        while (lo < hi) {
            const int mid = (lo + hi) >> 1;
            const bool before = run[mid] < mine || (run[mid] == mine && w < int(threadIdx.x) / 32);
            if (before) lo = mid + 1; else hi = mid;
        }
        rank += lo;
    }
    const int dst = blockIdx.x * blockDim.x + rank;
    if (dst < n) out[dst] = mine;
}

int main() {
    const int n = 500, tpb = 96;
    std::vector<Key> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 0x9E3779B97F4A7C15ull) >> 20;
    Key *a, *b;
    cudaMalloc(&a, n * sizeof(Key));
    cudaMalloc(&b, n * sizeof(Key));
    cudaMemcpy(a, h.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    sort_runs<<<(n + tpb - 1) / tpb, tpb, tpb * sizeof(Key)>>>(a, b, n);
    cudaMemcpy(got.data(), b, n * sizeof(Key), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    for (int first = 0; first < n; first += tpb) std::sort(h.begin() + first, h.begin() + std::min(n, first + tpb));
    if (h != got) { puts("runs differ"); return 1; }
    return 0;
}
