// expect: race
// Shared histogram with a plain increment: counts of equal values meet.
#include <vector>

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ++local[data[i]];  // <- race
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
    const int n = 900;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> bins(256);
    for (int i = 0; i < n; ++i) data[i] = i % 40;
    unsigned char* d_data;
    unsigned* d_bins;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, 256 * sizeof(unsigned));
    cudaMemset(d_bins, 0, 256 * sizeof(unsigned));
    cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
    histogram<<<2, 256>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    return 0;
}
