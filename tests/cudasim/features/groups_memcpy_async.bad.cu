// expect: RAW
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void without_wait(const int* in, int* out) {
    __shared__ alignas(16) int tile[64];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    without_wait<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
