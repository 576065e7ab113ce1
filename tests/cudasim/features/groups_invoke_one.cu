// feature: Cooperative groups: invoke_one and invoke_one_broadcast
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void elect(int* counter, int* wrong) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    cg::invoke_one(tile, [&] { atomicAdd(&counter[0], 1); });
    cg::invoke_one(block, [](int* at, int by) { atomicAdd(at, by); }, &counter[1], 10);
    const int ticket = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(&counter[2], 1); });
    int bad = ticket < 0 || ticket >= 4;
    bad += tile.shfl(ticket, 5) != ticket;
    if (threadIdx.x % 4 == 1) {
        const cg::coalesced_group active = cg::coalesced_threads();
        const unsigned who =
            cg::invoke_one_broadcast(active, [] { return threadIdx.x; });
        bad += who / 32 != threadIdx.x / 32 || who % 4 != 1;
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int *counter, *wrong;
    cudaMallocManaged(&counter, 3 * sizeof(int));
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    cudaMemset(counter, 0, 3 * sizeof(int));
    elect<<<1, 64>>>(counter, wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = counter[0] != 4 || counter[1] != 10 || counter[2] != 4;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("invoke_one: %d are wrong\n", sum);
    cudaFree(counter);
    cudaFree(wrong);
    return sum != 0;
}
