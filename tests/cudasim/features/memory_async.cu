// feature: cudaMallocAsync, cudaFreeAsync, cudaMemcpyAsync, cudaMemsetAsync on streams
// area: memory
#include <cstdio>

__global__ void increment(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i]++;
    }
}

int main() {
    const int n = 512, parts = 4, part = n / parts;
    int *host, wrong = 0;
    cudaMallocHost(&host, n * sizeof(int));
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    cudaStream_t streams[parts];
    int* device[parts];
    for (int k = 0; k < parts; k++) {
        wrong += cudaStreamCreate(&streams[k]) != cudaSuccess;
        wrong += cudaMallocAsync(&device[k], part * sizeof(int), streams[k]) != cudaSuccess;
        wrong += cudaMemsetAsync(device[k], 0, part * sizeof(int), streams[k]) != cudaSuccess;
        wrong += cudaMemcpyAsync(device[k], host + k * part, part * sizeof(int),
                                 cudaMemcpyHostToDevice, streams[k]) != cudaSuccess;
        increment<<<part / 64, 64, 0, streams[k]>>>(device[k], part);
        wrong += cudaMemcpyAsync(host + k * part, device[k], part * sizeof(int),
                                 cudaMemcpyDeviceToHost, streams[k]) != cudaSuccess;
        wrong += cudaFreeAsync(device[k], streams[k]) != cudaSuccess;
    }
    for (int k = 0; k < parts; k++) {
        wrong += cudaStreamSynchronize(streams[k]) != cudaSuccess;
        wrong += cudaStreamDestroy(streams[k]) != cudaSuccess;
    }
    for (int i = 0; i < n; i++) {
        wrong += host[i] != i + 1;
    }
    cudaFreeHost(host);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
