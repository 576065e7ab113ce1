// expect: nothing
// printf from one thread per block, an assertion that always holds, no output of the kernel.
#include <cassert>
#include <cstdio>

__device__ int total;
__constant__ int limits[4];

__global__ void show(int scale) {
    int value = limits[blockIdx.x] * scale + threadIdx.x;
    assert(value >= limits[blockIdx.x]);
    atomicAdd(&total, value);
    if (threadIdx.x == 0) printf("block %d starts at %d (%.1f)\n", blockIdx.x, value, value * 0.5);
}

int main() {
    int host_limits[4] = {3, 1, 4, 1}, result = 0, want = 0;
    cudaMemcpyToSymbol(limits, host_limits, sizeof(host_limits));
    cudaMemcpyToSymbol(total, &result, sizeof(int));
    show<<<4, 33>>>(2);
    if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) return 1;
    cudaMemcpyFromSymbol(&result, total, sizeof(int));
    for (int b = 0; b < 4; ++b) {
        for (int t = 0; t < 33; ++t) want += host_limits[b] * 2 + t;
    }
    if (result != want) printf("total is %d, not %d\n", result, want);
    return result != want;
}
