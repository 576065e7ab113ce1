// expect: race
// The edge that a copy fills with zeros is read as if a plain store had done it.
#include <cuda_pipeline.h>

__global__ void kernel(const float* in, float* out, int size) {
    __shared__ alignas(16) float tile[256];
    const int t = threadIdx.x;
    const int left = size - 4 * t;
    const int fill = left >= 4 ? 0 : left <= 0 ? 16 : 4 * (4 - left);
    __pipeline_memcpy_async(&tile[4 * t], in + 4 * t, 16, fill);  // <- race
    __pipeline_commit();
    float sum = left <= 0 ? tile[4 * t] : 0;  // <- race
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += tile[255 - 4 * t - i];
    out[t] = sum;
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 512 * sizeof(float));
    kernel<<<1, 64>>>(a, b, 201);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
