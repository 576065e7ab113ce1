// expect: race
// Each thread reads the element that it copied itself, without any wait.
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));  // <- race
    __pipeline_commit();
    out[threadIdx.x] = 2 * tile[threadIdx.x];  // <- race
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 64 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 64 * sizeof(float));
    twice<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
