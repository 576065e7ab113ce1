// expect: error cudaErrorIllegalAddress
#include <cstring>

__global__ void wild(int* data) { data[threadIdx.x + (1LL << 38)] = 1; }
__global__ void nothing() {}

int main() {
    int *data, *more, host;
    cudaMalloc(&data, 128);
    wild<<<1, 32>>>(data);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) {
        return 1;
    }
    // From here on every call gives that error, until the device is reset.
    nothing<<<1, 32>>>();
    if (cudaGetLastError() != cudaErrorIllegalAddress ||
        cudaGetLastError() != cudaErrorIllegalAddress ||
        cudaMalloc(&more, 128) != cudaErrorIllegalAddress ||
        cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost) != cudaErrorIllegalAddress) {
        return 1;
    }
    if (cudaDeviceReset() != cudaSuccess || cudaGetLastError() != cudaSuccess) {
        return 1;
    }
    if (cudaMalloc(&more, 128) != cudaSuccess) {
        return 1;
    }
    nothing<<<1, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess || cudaFree(more) != cudaSuccess;
}
