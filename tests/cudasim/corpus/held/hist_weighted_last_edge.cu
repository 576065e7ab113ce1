// expect: out-of-bounds
// Equal-width binning of floats: the greatest value itself falls into a bin that does not exist.
#include <cstdio>
#include <vector>

struct Binning {
    float lo, width;
    int bins;
    __device__ int operator()(float x) const { return static_cast<int>((x - lo) / width); }
};

__global__ void binned_sum(const float* x, const float* w, int n, Binning bin, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums + bin(x[i]), w[i]);  // <- out-of-bounds
}

int main() {
    const int n = 201, bins = 20;
    std::vector<float> x(n), w(n, 0.5f), sums(bins, 0.0f);
    for (int i = 0; i < n; ++i) x[i] = i * 0.5f;  // 0 to 100, both included
    float *d_x, *d_w, *d_sums;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_w, n * sizeof(float));
    cudaMalloc(&d_sums, bins * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, bins * sizeof(float));
    binned_sum<<<(n + 63) / 64, 64>>>(d_x, d_w, n, Binning{0.0f, 100.0f / bins, bins}, d_sums);
    cudaMemcpy(sums.data(), d_sums, bins * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", sums[3]);
    cudaFree(d_x);
    cudaFree(d_w);
    cudaFree(d_sums);
}
