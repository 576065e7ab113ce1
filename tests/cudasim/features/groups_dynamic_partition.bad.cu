// expect: assert
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void three(int* out, unsigned size) {
    const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), size);
    out[threadIdx.x] = static_cast<int>(tile.thread_rank());
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    three<<<1, 32>>>(out, 3);
    cudaDeviceSynchronize();
    return 0;
}
