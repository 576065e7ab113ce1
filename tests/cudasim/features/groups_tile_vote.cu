// feature: Cooperative groups: any, all, ballot, match_any and match_all of a tile
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void vote(int* wrong) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const unsigned thread = threadIdx.x, rank = tile.thread_rank(), number = thread / 8;
    int bad = tile.any(rank == 3 && number == 1) != (number == 1 ? 1 : 0);
    bad += (tile.all(number != 2) != 0) != (number != 2);
    bad += tile.ballot(rank % 2) != 0xaau;
    bad += tile.match_any(rank / 4) != (rank < 4 ? 0x0fu : 0xf0u);
    int same = -1;
    bad += tile.match_all(number, same) != 0xffu || !same;
    bad += tile.match_all(static_cast<long long>(rank == 7), same) != 0u || same;
    bad += tile.match_any(rank < 2 ? 1.5f : 2.5f) != (rank < 2 ? 0x03u : 0xfcu);
    wrong[thread] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    vote<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("votes of a tile: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
