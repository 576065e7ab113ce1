// expect: deadlock
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void half_of_a_tile(int* out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    if (tile.thread_rank() < 16) {
        out[threadIdx.x] = tile.any(threadIdx.x == 3);
    }
    __syncthreads();
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    half_of_a_tile<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
