// expect: race
// may: uninitialized
// Tiles of eight synchronise, but the stencil at the edge of a tile needs the next tile's value.
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void smooth(const int* in, int* out) {
    __shared__ int cells[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int tid = block.thread_rank();
    cells[tid] = in[tid];  // <- race
    tile.sync();
    out[tid] = cells[tid] + cells[(tid + 1) % 64];  // <- race
}

int main() {
    std::vector<int> in(64, 2), out(64);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    smooth<<<1, 64>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
