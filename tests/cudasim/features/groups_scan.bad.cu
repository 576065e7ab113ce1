// expect: deadlock
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void some_scan(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (warp.thread_rank() != 7) {
        out[threadIdx.x] = cg::inclusive_scan(warp, 1);
    }
    __syncthreads();
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    some_scan<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
