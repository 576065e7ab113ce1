// feature: assert in kernels
// area: language
#include <cassert>
#include <cstdio>

__global__ void halve(int* data, int n) {
    const int i = threadIdx.x;
    assert(i < n && "one thread for each number");
    assert(data[i] % 2 == 0);
    data[i] /= 2;
}

int main() {
    int *data, host[32];
    for (int i = 0; i < 32; i++) {
        host[i] = 2 * i;
    }
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    halve<<<1, 32>>>(data, 32);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(data);
    for (int i = 0; i < 32; i++) {
        if (host[i] != i) {
            std::printf("data[%d] is %d\n", i, host[i]);
            return 1;
        }
    }
    return error != cudaSuccess;
}
