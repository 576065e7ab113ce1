// expect: error cudaErrorInvalidConfiguration
#include <cstdio>

__global__ void say() { printf("no thread of this kernel ever runs\n"); }

int main() {
    say<<<1, 2048>>>();
    const cudaError_t error = cudaGetLastError();
    return error != cudaErrorInvalidConfiguration || cudaDeviceSynchronize() != cudaSuccess;
}
