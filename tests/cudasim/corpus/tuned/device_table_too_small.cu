// expect: out-of-bounds
// A table in a device variable has a place for each of 8 blocks, and 9 are launched.
#include <cuda_runtime.h>

__device__ int totals[8];

__global__ void count(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int inside = __syncthreads_count(i < n);
    if (threadIdx.x == 0) totals[blockIdx.x] = inside;  // <- out-of-bounds
}

int main() {
    int host_totals[8];
    const int n = 270, threads = 32;
    count<<<(n + threads - 1) / threads, threads>>>(n);
    cudaMemcpyFromSymbol(host_totals, totals, sizeof(host_totals));
    return 0;
}
