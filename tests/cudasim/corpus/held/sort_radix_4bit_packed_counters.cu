// expect: nothing
// Radix sort by 4-bit digits within tiles: byte counters of each thread read as words, transposed scan, global digit offsets.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

enum { TPB = 64, ITEMS = 3, TILE = TPB * ITEMS, RADIX = 16 };

__global__ void digit_counts(const uint32_t* keys, int n, int shift, unsigned* hist) {
    __shared__ uint8_t counts[RADIX][TPB];
    for (int d = 0; d < RADIX; ++d) counts[d][threadIdx.x] = 0;
    for (int k = 0; k < ITEMS; ++k) {
        int i = blockIdx.x * TILE + threadIdx.x * ITEMS + k;
        if (i < n) ++counts[keys[i] >> shift & 15][threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < RADIX) {
        unsigned sum = 0;
        const unsigned* words = reinterpret_cast<const unsigned*>(counts[threadIdx.x]);
        for (int w = 0; w < TPB / 4; ++w) sum = __vsadu4(words[w], 0) + sum;
        hist[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
}

__global__ void exclusive_sum(unsigned* x, int n) {
    __shared__ unsigned s[128];
    unsigned run = 0;
    for (int base = 0; base < n; base += 128) {
        int i = base + threadIdx.x;
        unsigned v = i < n ? x[i] : 0;
        s[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < 128; d *= 2) {
            unsigned add = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
            __syncthreads();
            s[threadIdx.x] += add;
            __syncthreads();
        }
        if (i < n) x[i] = run + s[threadIdx.x] - v;
        run += s[127];
        __syncthreads();
    }
}

__global__ void scatter(const uint32_t* keys, uint32_t* out, int n, int shift, const unsigned* hist) {
    __shared__ uint16_t before[RADIX][TPB + 1];
    uint32_t mine[ITEMS];
    uint16_t seen[RADIX];
    memset(seen, 0, sizeof(seen));
    int have = 0;
    for (int k = 0; k < ITEMS; ++k) {
        int i = blockIdx.x * TILE + threadIdx.x * ITEMS + k;
        if (i < n) {
            mine[have++] = keys[i];
            ++seen[keys[i] >> shift & 15];
        }
    }
    for (int d = 0; d < RADIX; ++d) before[d][threadIdx.x] = seen[d];
    __syncthreads();
    if (threadIdx.x < RADIX) {
        uint16_t sum = 0;
        for (int t = 0; t < TPB; ++t) {
            uint16_t c = before[threadIdx.x][t];
            before[threadIdx.x][t] = sum;
            sum += c;
        }
    }
    __syncthreads();
    for (int k = 0; k < have; ++k) {
        int d = mine[k] >> shift & 15;
        out[hist[d * gridDim.x + blockIdx.x] + before[d][threadIdx.x]++] = mine[k];
    }
}

int main() {
    const int n = 1500, blocks = (n + TILE - 1) / TILE;
    std::vector<uint32_t> h(n), got(n);
    uint32_t x = 1;
    for (auto& k : h) k = (x = x * 1664525u + 1013904223u) >> 16;
    uint32_t *a, *b;
    unsigned* hist;
    cudaMalloc(&a, n * sizeof(uint32_t));
    cudaMalloc(&b, n * sizeof(uint32_t));
    cudaMalloc(&hist, RADIX * blocks * sizeof(unsigned));
    cudaMemcpy(a, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
    for (int shift = 0; shift < 16; shift += 4) {
        digit_counts<<<blocks, TPB>>>(a, n, shift, hist);
        exclusive_sum<<<1, 128>>>(hist, RADIX * blocks);
        scatter<<<blocks, TPB>>>(a, b, n, shift, hist);
        std::swap(a, b);
    }
    cudaMemcpy(got.data(), a, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    cudaFree(a), cudaFree(b), cudaFree(hist);
    std::sort(h.begin(), h.end());
    if (got != h) { puts("not sorted"); return 1; }
    return 0;
}
