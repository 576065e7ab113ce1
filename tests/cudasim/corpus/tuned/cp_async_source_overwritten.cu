// expect: WAR
// A thread asks for a copy of its element, doubles the element in place, and waits only then: the
// copy may hold the old value or the new one.
#include <cuda_pipeline.h>

__global__ void kernel(float* data, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], data + t, sizeof(float));  // <- WAR
    __pipeline_commit();
    data[t] = 2 * data[t] + 1;  // <- WAR
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 64 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 64 * sizeof(float));
    kernel<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
