// feature: Warp votes: __all_sync, __any_sync, __ballot_sync
// area: warp
#include <cstdio>

__global__ void votes(int* wrong) {
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    int bad = __ballot_sync(all, lane % 3 == 0) != 0x49249249u;
    bad += __ballot_sync(all, static_cast<int>(lane) * 256) != 0xfffffffeu;
    bad += (__any_sync(all, lane == 31) != 0) != true;
    bad += (__any_sync(all, lane > 31) != 0) != false;
    bad += (__all_sync(all, lane < 32) != 0) != true;
    bad += (__all_sync(all, lane < 31) != 0) != false;
    // Two halves of a warp vote apart from each other.
    if (lane < 16) {
        bad += __ballot_sync(0x0000ffffu, lane % 2) != 0x0000aaaau;
        bad += __all_sync(0x0000ffffu, 1) == 0;
    } else {
        bad += __ballot_sync(0xffff0000u, lane % 2 == 0) != 0x55550000u;
        bad += __any_sync(0xffff0000u, 0) != 0;
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    votes<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("votes: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
