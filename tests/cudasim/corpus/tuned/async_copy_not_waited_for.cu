// expect: race
// The copy is committed, but wait_prior(1) leaves the newest commit in flight, and that one is read.
#include <cuda_pipeline.h>

__global__ void k(const int* in, int* out) {
    __shared__ int tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));  // <- race
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];  // <- race
}

int main() {
    int h[32] = {}, *a, *b;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
