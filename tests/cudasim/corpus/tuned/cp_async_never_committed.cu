// expect: race
// Two copies, and the commit stands between them: a wait for all commits leaves the second one out.
#include <cuda_pipeline.h>

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], in + t, sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][t], in + 64 + t, sizeof(float));  // <- race
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[0][63 - t] + tile[1][63 - t];  // <- race
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
