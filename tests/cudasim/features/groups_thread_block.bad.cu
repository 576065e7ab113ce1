// expect: barrier-divergence
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void branches(int* out) {
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() < 32) {
        block.sync();
    } else {
        block.sync();
        out[block.thread_rank()] = 1;
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    branches<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
