// expect: race
// may: uninitialized
// Shared histogram: the first counts may come before the counters are cleared.
#include <vector>

constexpr int BINS = 64;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned local[BINS];
    int tid = threadIdx.x;
    if (tid < BINS) local[tid] = 0;  // <- race
    for (int i = tid; i < n; i += blockDim.x) {
        atomicAdd(&local[data[i] % BINS], 1u);  // <- race
    }
    __syncthreads();
    if (tid < BINS) bins[tid] = local[tid];
}

int main() {
    const int n = 600;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> bins(BINS);
    for (int i = 0; i < n; ++i) data[i] = i * 7;
    unsigned char* d_data;
    unsigned* d_bins;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_bins, BINS * sizeof(unsigned));
    cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
    histogram<<<1, 128>>>(d_data, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_bins);
    return 0;
}
