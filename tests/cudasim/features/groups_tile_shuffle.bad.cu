// expect: compile more than 32 threads is not supported by cudasim
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void large(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<64>(block);
    out[threadIdx.x] = static_cast<int>(tile.thread_rank());
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    large<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
