// expect: misaligned
#include <cuda_fp16.h>

__global__ void add(char* bytes) {
    atomicAdd(reinterpret_cast<__half2*>(bytes + 2), __float2half2_rn(1.0f));
}

int main() {
    char* bytes;
    cudaMalloc(&bytes, 64);
    cudaMemset(bytes, 0, 64);
    add<<<1, 1>>>(bytes);
    cudaDeviceSynchronize();
    return 0;
}
