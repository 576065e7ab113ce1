// expect: race
// The next tile is asked for before all have read the last one; a barrier stands only where it is
// waited for, and a card may have written by then.
#include <cuda_pipeline.h>

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&tile[t], in + t, sizeof(float));  // <- race
    __pipeline_commit();
    for (int i = 1; i <= 4; ++i) {
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[63 - t];  // <- race
        if (i < 4) __pipeline_memcpy_async(&tile[t], in + i * 64 + t, sizeof(float));  // <- race
        __pipeline_commit();
        __syncthreads();
    }
    out[t] = sum;
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
