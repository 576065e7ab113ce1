// expect: uninitialized
// Privatised histogram with 256 bins and 160 threads: "if (tid < bins) = 0" clears only the first 160.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#define GPU_ERR(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line, bool abort = true) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

template <int BINS>
__global__ void histogram(const uint8_t* pixels, size_t count, unsigned* bins) {
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;
    __syncthreads();
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
        atomicAdd(&local[pixels[i]], 1u);  // <- uninitialized
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);  // <- uninitialized
}

int main() {
    const size_t count = 4000;
    std::vector<uint8_t> pixels(count);
    std::mt19937 rng{2024};
    std::generate(pixels.begin(), pixels.end(), [&] { return uint8_t(rng() & 255); });
    std::vector<unsigned> bins(256);
    uint8_t* d_pixels;
    unsigned* d_bins;
    GPU_ERR(cudaMalloc(&d_pixels, count));
    GPU_ERR(cudaMalloc(&d_bins, 256 * sizeof(unsigned)));
    GPU_ERR(cudaMemset(d_bins, 0, 256 * sizeof(unsigned)));
    GPU_ERR(cudaMemcpy(d_pixels, pixels.data(), count, cudaMemcpyHostToDevice));
    histogram<256><<<3, 160>>>(d_pixels, count, d_bins);
    GPU_ERR(cudaPeekAtLastError());
    GPU_ERR(cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("%u\n", bins[255]);
    GPU_ERR(cudaFree(d_pixels));
    GPU_ERR(cudaFree(d_bins));
    return 0;
}
