// expect: assert
#include <cassert>

__global__ void halve(int* data) {
    assert(data[threadIdx.x] % 2 == 0);
    data[threadIdx.x] /= 2;
}

int main() {
    int *data, host[32];
    for (int i = 0; i < 32; i++) {
        host[i] = i;
    }
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    halve<<<1, 32>>>(data);
    return cudaDeviceSynchronize() != cudaErrorAssert;
}
