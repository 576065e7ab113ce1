// feature: cudaLaunchCooperativeKernel with as many blocks as the device holds
// area: runtime
#include <cstdio>

#include <cooperative_groups.h>

__global__ void reverse(int* data, int* copy, int n) {
    const auto grid = cooperative_groups::this_grid();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        copy[i] = data[i];
    }
    grid.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        data[i] = copy[n - 1 - i];
    }
}

int main() {
    int n = 1000, host[1000], wrong = 0, per_multiprocessor = 0, multiprocessors = 0;
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    int *data, *copy;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&copy, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, reverse, 64, 0);
    wrong += per_multiprocessor < 1;
    const int most = per_multiprocessor * multiprocessors, blocks = most < 7 ? most : 7;
    void* arguments[] = {&data, &copy, &n};
    wrong += cudaLaunchCooperativeKernel((void*)reverse, dim3(blocks), dim3(64), arguments) !=
             cudaSuccess;
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += host[i] != n - 1 - i;
    }
    cudaFree(data);
    cudaFree(copy);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
