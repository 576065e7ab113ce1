// expect: race
// cooperative_groups::memcpy_async, then sync() instead of wait().
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void reverse(const float* in, float* out) {
    __shared__ float tile[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);  // <- race
    block.sync();  // cg::wait(block) would be right
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
