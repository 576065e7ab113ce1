// feature: Warp match: __match_any_sync, __match_all_sync
// area: warp
#include <cstdio>

__global__ void match(int* wrong) {
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    int bad = __match_any_sync(all, lane / 8) != 0xffu << lane / 8 * 8;
    const unsigned odd = 0xaaaaaaaau;
    bad += __match_any_sync(all, static_cast<float>(lane % 2)) != (lane % 2 ? odd : ~odd);
    bad += __match_any_sync(all, 1ll << (lane + 8)) != 1u << lane;
    bad += __match_any_sync(all, lane < 4 ? 0.25 : 0.5) != (lane < 4 ? 0x0000000fu : 0xfffffff0u);
    int same = -1;
    bad += __match_all_sync(all, 42, &same) != all || same == 0;
    bad += __match_all_sync(all, lane == 9, &same) != 0u || same != 0;
    bad += __match_all_sync(all, 7ull, &same) != all || same == 0;
    if (lane >= 28) {
        bad += __match_any_sync(0xf0000000u, lane % 2) != (lane % 2 ? 0xa0000000u : 0x50000000u);
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    match<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("match: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
