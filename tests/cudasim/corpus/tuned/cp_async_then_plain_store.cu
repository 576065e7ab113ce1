// expect: race
// The pad is written by a plain store where a copy is still under way: which one stays is open.
#include <cuda_pipeline.h>

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], in + t, sizeof(float));  // <- race
    __pipeline_commit();
    if (t > 50) tile[t] = 1.0f;  // <- race
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 512 * sizeof(float));
    kernel<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
