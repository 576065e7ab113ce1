// expect: race
// The copy is committed but never waited for; __syncthreads() alone does not complete it.
#include <cuda_pipeline.h>

__global__ void reverse(const float* in, float* out) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));  // <- race
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];  // <- race
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 64 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 64 * sizeof(float));
    reverse<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
