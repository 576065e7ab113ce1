// expect: race
// Three stages. Nothing is committed when there is nothing left to copy, so the fixed number in
// wait_prior leaves out the last tiles.
#include <cuda_pipeline.h>

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[3][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 2; ++i) {
        __pipeline_memcpy_async(&tile[i][t], in + i * 64 + t, sizeof(float));  // <- race
        __pipeline_commit();
    }
    float sum = 0;
    for (int i = 0; i < 7; ++i) {
        if (i + 2 < 7) {
            __pipeline_memcpy_async(&tile[(i + 2) % 3][t], in + (i + 2) * 64 + t, 4);  // <- race
            __pipeline_commit();
        }
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += tile[i % 3][63 - t];  // <- race
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
