// feature: Warp reductions: __reduce_add_sync, min, max, and, or, xor
// area: warp
#include <cstdio>

__global__ void reduce(int* wrong) {
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    const int number = static_cast<int>(lane) - 10;
    int bad = __reduce_add_sync(all, number) != 496 - 320;
    bad += __reduce_add_sync(all, lane) != 496u;
    bad += __reduce_min_sync(all, number) != -10 || __reduce_max_sync(all, number) != 21;
    bad += __reduce_min_sync(all, static_cast<unsigned>(number)) != 0u;
    bad += __reduce_max_sync(all, static_cast<unsigned>(number)) != 0xffffffffu;
    bad += __reduce_and_sync(all, lane | 0x40u) != 0x40u;
    bad += __reduce_or_sync(all, 1u << lane) != all;
    bad += __reduce_xor_sync(all, lane < 3 ? 1u << lane : 0u) != 7u;
    if (lane % 2 == 0) {
        bad += __reduce_add_sync(0x55555555u, lane) != 240u;
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    reduce<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("reductions: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
