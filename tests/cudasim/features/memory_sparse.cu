// feature: an allocation of 40 GiB where little is touched and the device has as much
// area: memory
#include <cstdio>

__global__ void touch(char* data, size_t stride) { data[threadIdx.x * stride] = threadIdx.x + 1; }

int main() {
    const size_t size = size_t{40} << 30, stride = size / 32;
    char* data;
    const cudaError_t error = cudaMalloc(&data, size);
    if (error != cudaSuccess) {
        return error != cudaErrorMemoryAllocation;
    }
    touch<<<1, 32>>>(data, stride);
    int wrong = 0;
    for (int i = 0; i < 32; i++) {
        char value = 0;
        wrong += cudaMemcpy(&value, data + i * stride, 1, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += value != i + 1;
    }
    wrong += cudaFree(data) != cudaSuccess;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong != 0;
}
