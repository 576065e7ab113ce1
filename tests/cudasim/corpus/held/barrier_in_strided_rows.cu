// expect: barrier-divergence
// may: uninitialized race
// Normalising columns: the grid-stride loop has a barrier, but the threads of the last block make different numbers of rounds.
#include <cstdio>
#include <vector>

__global__ void center(float* x, int n, float* means) {
    __shared__ float tile[64];
    __shared__ float mean;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        tile[threadIdx.x] = x[i];
        __syncthreads();  // <- barrier-divergence
        if (threadIdx.x == 0) {
            float s = 0.f;
            int m = min((int)blockDim.x, n - i);
            for (int k = 0; k < m; k++) s += tile[k];
            mean = s / m;
            means[i / blockDim.x] = mean;
        }
        __syncthreads();  // <- barrier-divergence
        x[i] -= mean;
        __syncthreads();  // <- barrier-divergence
    }
}

int main() {
    const int n = 219;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = i % 7;
    float *x, *means;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&means, 4 * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    center<<<2, 64>>>(x, n, means);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(means);
    return 0;
}
