// expect: race
// Two copies of a group, wait_prior<1>, and the second one is read.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void kernel(const float* in, float* out) {
    __shared__ alignas(16) float tile[2][64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    cg::memcpy_async(block, tile[1], in + 64, sizeof tile[1]);  // <- race
    cg::wait_prior<1>(block);
    out[threadIdx.x] = tile[0][63 - threadIdx.x] + tile[1][63 - threadIdx.x];  // <- race
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
