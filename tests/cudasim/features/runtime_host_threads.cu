// feature: launches from several threads of the host at once
// area: runtime
#include <cstdio>
#include <thread>
#include <vector>

__global__ void add(int* data, int value) {
    __shared__ int tile[128];
    tile[threadIdx.x] = value;
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] += tile[127 - threadIdx.x];
}

int work(int number) {
    int *data, host[1280], wrong = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&data, sizeof host);
    cudaMemset(data, 0, sizeof host);
    cudaDeviceSynchronize();
    for (int i = 0; i < 50; i++) {
        add<<<10, 128, 0, stream>>>(data, number);
        wrong += cudaGetLastError() != cudaSuccess;
    }
    cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (const int value : host) {
        wrong += value != 50 * number;
    }
    cudaFree(data);
    cudaStreamDestroy(stream);
    return wrong;
}

int main() {
    int wrong[4];
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&wrong, i] { wrong[i] = work(i + 1); });
    }
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        threads[i].join();
        sum += wrong[i];
    }
    if (sum) {
        std::printf("%d checks failed\n", sum);
    }
    return sum || cudaGetLastError() != cudaSuccess;
}
