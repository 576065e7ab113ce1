// expect: nothing
// Radix sort, one bit per pass: block-wise split by ballots, scan of the block counts, stable scatter; two buffers swapped.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#define CUDA_TRY(stmt)                                                                            \
    if (cudaError_t e = (stmt); e != cudaSuccess) {                                                 \
        std::fprintf(stderr, "%s failed with %s\n", #stmt, cudaGetErrorName(e));                    \
        return 3;                                                                                   \
    }

constexpr int kBlock = 160, kWarps = kBlock / 32;

__global__ void count_zeros(const uint32_t* keys, int n, int bit, int* zeros) {
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const int c = __syncthreads_count(i < n && !(keys[i] >> bit & 1u));
    if (threadIdx.x == 0) zeros[blockIdx.x] = c;
}

// one thread is enough for so few blocks
__global__ void scan_counts(int* zeros, int blocks) {
    int sum = 0;
    for (int b = 0; b < blocks; ++b) {
        int c = zeros[b];
        zeros[b] = sum;
        sum += c;
    }
    zeros[blocks] = sum;
}

__global__ void scatter(const uint32_t* keys, uint32_t* out, int n, int bit, const int* zeros, int blocks) {
    __shared__ int warp_zeros[kWarps];
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t key = i < n ? keys[i] : ~0u;
    const bool zero = i < n && !(key >> bit & 1u);
    const unsigned vote = __ballot_sync(0xffffffffu, zero);
    if (lane == 0) warp_zeros[warp] = __popc(vote);
    __syncthreads();
    int before = __popc(vote & ((1u << lane) - 1u));
    for (int w = 0; w < warp; ++w) before += warp_zeros[w];
    const int zeros_before = zeros[blockIdx.x] + before;
    if (i < n) out[zero ? zeros_before : zeros[blocks] + i - zeros_before] = key;
}

int main() {
    const int n = 1000, blocks = (n + kBlock - 1) / kBlock, bits = 10;
    std::vector<uint32_t> h(n), got(n);
    std::mt19937 rng(99);
    for (auto& k : h) k = rng() % (1u << bits);
    uint32_t *a, *b;
    int* zeros;
    CUDA_TRY(cudaMalloc(&a, n * sizeof(uint32_t)));
    CUDA_TRY(cudaMalloc(&b, n * sizeof(uint32_t)));
    CUDA_TRY(cudaMalloc(&zeros, (blocks + 1) * sizeof(int)));
    CUDA_TRY(cudaMemcpy(a, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    for (int bit = 0; bit < bits; ++bit) {
        count_zeros<<<blocks, kBlock>>>(a, n, bit, zeros);
        scan_counts<<<1, 1>>>(zeros, blocks);
        scatter<<<blocks, kBlock>>>(a, b, n, bit, zeros, blocks);
        CUDA_TRY(cudaGetLastError());
        std::swap(a, b);
    }
    CUDA_TRY(cudaMemcpy(got.data(), a, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(a));
    CUDA_TRY(cudaFree(b));
    CUDA_TRY(cudaFree(zeros));
    std::sort(h.begin(), h.end());
    return got == h ? 0 : (std::puts("not sorted"), 1);
}
