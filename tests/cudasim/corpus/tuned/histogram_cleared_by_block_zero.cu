// expect: race
// may: uninitialized
// The global counters are cleared by the first block of the very launch that counts.
#include <vector>

constexpr int BINS = 32;

__global__ void histogram(const int* data, int n, unsigned* bins) {
    if (blockIdx.x == 0 && threadIdx.x < BINS) bins[threadIdx.x] = 0;  // <- race
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i] % BINS], 1u);  // <- race
}

int main() {
    const int n = 500;
    std::vector<int> data(n);
    std::vector<unsigned> bins(BINS);
    for (int i = 0; i < n; ++i) data[i] = i * 5;
    int* d_data;
    unsigned* d_bins;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_bins, BINS * sizeof(unsigned));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    histogram<<<4, 128>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    return 0;
}
