// expect: launch
// 64 KiB of dynamic shared memory without raising the kernel's limit first.
#include <cuda_runtime.h>

__global__ void stage(float* data, int n) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = tile[n - 1 - i];
}

int main() {
    const int n = 16384;
    float* d_data;
    cudaMalloc(&d_data, n * sizeof(float));
    cudaMemset(d_data, 0, n * sizeof(float));
    stage<<<1, 256, n * sizeof(float)>>>(d_data, n);  // <- launch
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
