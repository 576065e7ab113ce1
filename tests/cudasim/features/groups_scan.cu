// feature: Cooperative groups: inclusive_scan and exclusive_scan
// area: groups
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void scan_all(int* wrong) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto tile = cg::tiled_partition<4>(warp);
    const int lane = static_cast<int>(warp.thread_rank()), rank = lane % 4;
    int bad = cg::inclusive_scan(warp, lane) != lane * (lane + 1) / 2;
    bad += cg::exclusive_scan(warp, lane) != lane * (lane - 1) / 2;
    bad += cg::inclusive_scan(tile, 2.0f) != 2.0f * static_cast<float>(rank + 1);
    bad += cg::exclusive_scan(tile, 2.0f, cg::plus<float>()) != 2.0f * static_cast<float>(rank);
    bad += cg::inclusive_scan(warp, lane * 5 % 32, cg::greater<int>()) <
           (lane * 5 % 32);
    // Multiplication by powers of two, as an operation of our own.
    bad += cg::inclusive_scan(tile, 2, [](int a, int b) { return a * b; }) != 2 << rank;
    if (lane >= 20) {
        const cg::coalesced_group active = cg::coalesced_threads();
        bad += cg::exclusive_scan(active, 3) != 3 * (lane - 20);
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    scan_all<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("scans: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
