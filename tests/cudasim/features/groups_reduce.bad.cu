// expect: compile cooperative_groups::reduce takes a thread_block_tile or a coalesced_group
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void over_the_block(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    *out = cg::reduce(block, 1, cg::plus<int>());
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    over_the_block<<<1, 32>>>(out);
    cudaFree(out);
    return 0;
}
