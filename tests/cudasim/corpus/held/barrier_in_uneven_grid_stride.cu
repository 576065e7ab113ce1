// expect: barrier-divergence
// may: deadlock race
// Grid-stride loop with a tile and barriers in it, whose condition is asked per thread: the last round is not for all.
#include <cstdio>
#include <vector>

__global__ void mirror_in_tiles(const float* in, float* out, int n) {
    __shared__ float tile[64];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        tile[threadIdx.x] = in[i];  // <- race
        __syncthreads();  // <- barrier-divergence deadlock
        const int first = i - threadIdx.x, last = min(64, n - first) - 1;
        out[i] = tile[last - threadIdx.x];  // <- race
        __syncthreads();  // <- barrier-divergence deadlock
    }
}

int main() {
    const int n = 475;
    std::vector<float> h(n, 1.0f);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    mirror_in_tiles<<<3, 64>>>(d_in, d_out, n);
    cudaMemcpy(h.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
