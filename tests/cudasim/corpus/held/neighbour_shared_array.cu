// expect: out-of-bounds
// Histogram of digits with a shared array of 9 bins beside another array: bin 9 lies in the neighbour.
#include <cstdio>
#include <vector>

__global__ void digits(const int* in, int n, int* hist) {
    __shared__ int bins[9];
    __shared__ int scratch[64];
    const int t = threadIdx.x;
    if (t < 9) bins[t] = 0;
    scratch[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i] % 10], 1);  // <- out-of-bounds
        scratch[t] += in[i];
    }
    __syncthreads();
    if (t < 9) atomicAdd(&hist[t], bins[t]);
    if (t == 0) {
        int s = 0;
        for (int k = 0; k < 64; ++k) s += scratch[k];
        atomicAdd(&hist[9], s);
    }
}

int main() {
    const int n = 300;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *d_in, *d_hist, hist[10];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_hist, sizeof(hist));
    cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, sizeof(hist));
    digits<<<2, 64>>>(d_in, n, d_hist);
    cudaMemcpy(hist, d_hist, sizeof(hist), cudaMemcpyDeviceToHost);
    printf("%d\n", hist[0]);
    cudaFree(d_in);
    cudaFree(d_hist);
    return 0;
}
