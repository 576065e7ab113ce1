// expect: race
// cuda::memcpy_async bound to a cuda::barrier on which nobody waits.
#include <cooperative_groups.h>
#include <cuda/barrier>

__global__ void reverse(const float* in, float* out) {
    __shared__ alignas(16) float tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&bar, 64);
    block.sync();
    cuda::memcpy_async(block, tile, in, sizeof tile, bar);  // <- race
    (void)bar.arrive();
    block.sync();
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
