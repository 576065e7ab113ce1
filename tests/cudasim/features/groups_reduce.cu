// feature: Cooperative groups: reduce with plus, less, greater, bit operators and lambdas
// area: groups
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct Best {
    float value;
    int index;
};

__global__ void reduce_all(int* wrong) {
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto tile = cg::tiled_partition<8>(warp);
    const int lane = static_cast<int>(warp.thread_rank());
    const int first = lane / 8 * 8;
    int bad = cg::reduce(warp, lane, cg::plus<int>()) != 496;
    bad += cg::reduce(tile, lane, cg::plus<int>()) != 8 * first + 28;
    bad += cg::reduce(tile, lane, cg::less<int>()) != first;
    bad += cg::reduce(tile, -lane, cg::greater<int>()) != -first;
    bad += cg::reduce(warp, 0.5f * static_cast<float>(lane), cg::plus<float>()) != 248.0f;
    bad += cg::reduce(warp, 0.25 * lane, cg::greater<double>()) != 7.75;
    bad += cg::reduce(warp, 1u << lane, cg::bit_or<unsigned>()) != 0xffffffffu;
    bad += cg::reduce(tile, ~(1u << lane % 8), cg::bit_and<unsigned>()) != 0xffffff00u;
    bad += cg::reduce(warp, static_cast<unsigned>(lane), cg::bit_xor<unsigned>()) != 0u;
    bad += cg::reduce(warp, 1ll << lane, cg::plus<long long>()) != 0xffffffffll;
    const int scale = 3;
    bad += cg::reduce(tile, lane, [=](int a, int b) { return a + b + scale - 3; }) !=
           8 * first + 28;

    // The largest of some values and where it is.
    const Best mine{static_cast<float>(lane * 7 % 32), lane};
    const Best best = cg::reduce(
        warp, mine, [](const Best& a, const Best& b) { return a.value < b.value ? b : a; });
    bad += best.value != 31.0f || best.index != 9;

    if (lane % 3 == 0) {
        const cg::coalesced_group active = cg::coalesced_threads();
        bad += cg::reduce(active, lane, cg::plus<int>()) != 165;
        bad += cg::reduce(active, lane, cg::greater<int>()) != 30;
    }
    wrong[block.thread_rank()] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    reduce_all<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("reduce: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
