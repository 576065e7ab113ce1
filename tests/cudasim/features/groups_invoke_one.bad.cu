// expect: RAW
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// What one thread of a tile does is not waited for by the threads of the other tile.
__global__ void without_sync(int* out) {
    __shared__ int values[2];
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned number = threadIdx.x / 32;
    cg::invoke_one(tile, [&] { values[number] = 7; });
    out[threadIdx.x] = values[1 - number];
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    without_sync<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
