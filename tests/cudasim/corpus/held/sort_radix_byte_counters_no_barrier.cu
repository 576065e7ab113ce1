// expect: race
// may: uninitialized
// Byte counters of each thread, summed up as words by other threads, with the barrier before the counting instead of after.
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void digit_counts(const uint8_t* keys, int n, unsigned* hist) {
    __shared__ __align__(4) uint8_t counts[4][96];
    for (int d = 0; d < 4; ++d) counts[d][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 96 + threadIdx.x; i < n; i += gridDim.x * 96) counts[keys[i] & 3][threadIdx.x]++;  // <- race
    if (threadIdx.x < 4) {
        unsigned sum = 0;
        const uchar4* words = reinterpret_cast<const uchar4*>(counts[threadIdx.x]);
        for (int w = 0; w < 24; ++w) {
            const uchar4 c = words[w];  // <- race
            sum += c.x + c.y + c.z + c.w;
        }
        atomicAdd(&hist[threadIdx.x], sum);
    }
}

int main() {
    const int n = 700;
    std::vector<uint8_t> h(n);
    for (int i = 0; i < n; ++i) h[i] = uint8_t(i * 5 >> 2);
    uint8_t* d_keys;
    unsigned *d_hist, hist[4];
    cudaMalloc(&d_keys, n);
    cudaMalloc(&d_hist, sizeof hist);
    cudaMemcpy(d_keys, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, sizeof hist);
    digit_counts<<<3, 96>>>(d_keys, n, d_hist);
    cudaMemcpy(hist, d_hist, sizeof hist, cudaMemcpyDeviceToHost);
    printf("%u\n", hist[0]);
    cudaFree(d_keys);
    cudaFree(d_hist);
}
