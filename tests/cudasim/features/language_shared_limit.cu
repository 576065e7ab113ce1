// feature: 48 KiB of static shared memory, as much as the CUDA compiler takes
// area: language
#include <cstdio>

__global__ void turned(float* out) {
    __shared__ float tile[48 * 256];
    for (int i = threadIdx.x; i < 48 * 256; i += blockDim.x) {
        tile[i] = static_cast<float>(i);
    }
    __syncthreads();
    out[threadIdx.x] = tile[48 * 256 - 1 - threadIdx.x];
}

int main() {
    float* out;
    float host[256];
    cudaMalloc(&out, sizeof(host));
    turned<<<1, 256>>>(out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(out);
    int wrong = cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < 256; i++) {
        wrong += host[i] != static_cast<float>(48 * 256 - 1 - i);
    }
    return wrong != 0;
}
