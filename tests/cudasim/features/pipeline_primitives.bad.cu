// expect: RAW
#include <cuda_pipeline.h>

__global__ void waits_for_its_own_copy_only(int* out) {
    __shared__ alignas(16) int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &out[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    waits_for_its_own_copy_only<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
