// expect: uninitialized
// Counts are added to global counters that come fresh from cudaMalloc.
#include <vector>

__global__ void histogram(const int* data, int n, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1);  // <- uninitialized
}

int main() {
    const int n = 100, num_bins = 16;
    std::vector<int> data(n), bins(num_bins);
    for (int i = 0; i < n; ++i) data[i] = i % num_bins;
    int *d_data, *d_bins;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_bins, num_bins * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    histogram<<<2, 64>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, num_bins * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    return 0;
}
