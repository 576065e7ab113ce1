// expect: uninitialized
// Histogram whose bins are cleared by cudaMemset with the number of bins instead of bytes.
#include <cstdio>
#include <numeric>
#include <vector>

static const int kBins = 50;

__global__ void hist(const int *x, int n, unsigned long long *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[x[i] % kBins], 1ULL);  // <- uninitialized
}

int main()
{
    const int n = 777;
    std::vector<int> x(n);
    std::iota(x.begin(), x.end(), 3);
    int *d_x;
    unsigned long long *d_bins, bins[kBins];
    cudaMalloc(&d_x, n * sizeof *d_x);
    cudaMalloc(&d_bins, kBins * sizeof *d_bins);
    cudaMemset(d_bins, 0, kBins);
    cudaMemcpy(d_x, x.data(), n * sizeof *d_x, cudaMemcpyHostToDevice);
    hist<<<2, 128>>>(d_x, n, d_bins);
    cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost);
    printf("%llu\n", bins[0]);
    cudaFree(d_x);
    cudaFree(d_bins);
    return 0;
}
