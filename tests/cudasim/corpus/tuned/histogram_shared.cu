// expect: nothing
// Histogram of bytes: counters per block in shared memory, added to the global ones at the end.
#include <cstdio>
#include <vector>

constexpr int BINS = 96;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned local[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) local[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[data[i]], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        if (local[bin] > 0) atomicAdd(&bins[bin], local[bin]);
    }
}

int main() {
    const int n = 3001;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> want(BINS), bins(BINS);
    for (int i = 0; i < n; ++i) {
        data[i] = (i * 2654435761u >> 16) % BINS;
        ++want[data[i]];
    }
    unsigned char* d_data;
    unsigned* d_bins;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, BINS * sizeof(unsigned));
    cudaMemset(d_bins, 0, BINS * sizeof(unsigned));
    cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
    histogram<<<4, 70>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    for (int bin = 0; bin < BINS; ++bin) {
        if (bins[bin] != want[bin]) {
            printf("bin %d has %u, not %u\n", bin, bins[bin], want[bin]);
            return 1;
        }
    }
    return 0;
}
