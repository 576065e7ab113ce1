// expect: leak
// A scratch buffer is allocated in every round, and only the last one is freed.
#include <cuda_runtime.h>

__global__ void accumulate(int* data, int* scratch) {
    scratch[threadIdx.x] = data[threadIdx.x] + 1;
    data[threadIdx.x] = scratch[threadIdx.x];
}

int main() {
    const int n = 32;
    int *d_data, *d_scratch = nullptr;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMemset(d_data, 0, n * sizeof(int));
    for (int round = 0; round < 3; ++round) {
        cudaMalloc(&d_scratch, n * sizeof(int));  // <- leak
        accumulate<<<1, n>>>(d_data, d_scratch);
    }
    cudaDeviceSynchronize();
    cudaFree(d_scratch);
    cudaFree(d_data);
    return 0;
}
