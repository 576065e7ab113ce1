// expect: out-of-bounds
// Values from 0 to 10 are counted in ten shared bins: an atomic operation outside of them.
#include <vector>

constexpr int BINS = 10;

__global__ void histogram(const int* data, int n, int* bins) {
    __shared__ int local[BINS];
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&local[data[i]], 1);  // <- out-of-bounds
    }
    __syncthreads();
    if (threadIdx.x < BINS) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
    const int n = 200;
    std::vector<int> data(n), bins(BINS);
    for (int i = 0; i < n; ++i) data[i] = i % 11;
    int *d_data, *d_bins;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_bins, BINS * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    histogram<<<1, 64>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, BINS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    return 0;
}
