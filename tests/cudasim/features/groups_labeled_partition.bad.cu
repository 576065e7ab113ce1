// expect: RAW
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A group waits for its own lanes only: those of the other label may be late.
__global__ void too_few_wait(int* out) {
    __shared__ int values[32];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned lane = warp.thread_rank();
    const cg::coalesced_group same = cg::labeled_partition(warp, static_cast<int>(lane % 2));
    values[lane] = static_cast<int>(lane);
    same.sync();
    out[lane] = values[lane ^ 1];
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    too_few_wait<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
