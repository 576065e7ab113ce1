// feature: Cooperative groups: labeled_partition and binary_partition
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void partition(int* histogram, int* wrong) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int lane = static_cast<int>(warp.thread_rank());
    const cg::coalesced_group same = cg::labeled_partition(warp, lane * lane % 5);
    if (same.thread_rank() == 0) {
        atomicAdd(&histogram[lane * lane % 5], static_cast<int>(same.size()));
    }
    const cg::coalesced_group third = cg::binary_partition(warp, lane % 3 == 0);
    int bad = static_cast<int>(third.size()) != (lane % 3 == 0 ? 11 : 21);
    bad += third.shfl(lane, 0) != (lane % 3 == 0 ? 0 : 1);
    // A group of a group: of the lanes that three divides, those below 15.
    const cg::coalesced_group low = cg::binary_partition(third, lane < 15);
    if (lane % 3 == 0) {
        bad += low.size() != (lane < 15 ? 5u : 6u);
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int *histogram, *wrong;
    cudaMallocManaged(&histogram, 5 * sizeof(int));
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    cudaMemset(histogram, 0, 5 * sizeof(int));
    partition<<<1, 64>>>(histogram, wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int expected[5] = {}, sum = 0;
    for (int i = 0; i < 64; i++) {
        expected[i % 32 * (i % 32) % 5]++;
        sum += wrong[i];
    }
    for (int i = 0; i < 5; i++) {
        sum += histogram[i] != expected[i];
    }
    if (sum) std::printf("partitions: %d are wrong\n", sum);
    cudaFree(histogram);
    cudaFree(wrong);
    return sum != 0;
}
