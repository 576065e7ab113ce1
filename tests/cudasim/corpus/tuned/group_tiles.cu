// expect: nothing
// Cooperative groups: tiles of 8 lanes sum rows of 8, tile.sync orders their shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void rows(const int* in, int* sums, int* shifted) {
    __shared__ int cache[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    int value = in[i];
    int sum = cg::reduce(tile, value, cg::plus<int>());
    if (tile.thread_rank() == 0) sums[i / 8] = sum;
    int* row = cache + tile.meta_group_rank() * 8;
    row[tile.thread_rank()] = value;
    tile.sync();
    int next = row[(tile.thread_rank() + 3) % 8];
    block.sync();
    cache[63 - block.thread_rank()] = next + tile.shfl_xor(value, 1);
    block.sync();
    shifted[i] = cache[block.thread_rank()];
}

int main() {
    const int n = 128;
    int in[n], sums[n / 8], shifted[n], *d_in, *d_sums, *d_shifted;
    for (int i = 0; i < n; ++i) in[i] = i * 19 % 43;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_sums, sizeof(sums));
    cudaMalloc(&d_shifted, sizeof(shifted));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    rows<<<2, 64>>>(d_in, d_sums, d_shifted);
    cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaMemcpy(shifted, d_shifted, sizeof(shifted), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sums);
    cudaFree(d_shifted);
    for (int i = 0; i < n; ++i) {
        int sum = 0, from = i / 64 * 64 + 63 - i % 64;
        for (int j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) sum += in[j];
        int want = in[from / 8 * 8 + (from + 3) % 8] + in[from ^ 1];
        if (sums[i / 8] != sum || shifted[i] != want) {
            printf("%d: sum %d, not %d; value %d, not %d\n", i, sums[i / 8], sum, shifted[i], want);
            return 1;
        }
    }
    return 0;
}
