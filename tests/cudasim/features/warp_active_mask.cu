// feature: Warp: __activemask names the lanes that run together
// area: warp
#include <cstdio>

__global__ void active(int* wrong) {
    const unsigned lane = threadIdx.x % 32;
    int bad = (__activemask() >> lane & 1) != 1;
    if (lane % 4 == 1) {
        const unsigned mask = __activemask();
        bad += (mask >> lane & 1) != 1 || (mask & ~0x22222222u) != 0;
        bad += __shfl_sync(mask, static_cast<int>(lane), __ffs(static_cast<int>(mask)) - 1) !=
               __ffs(static_cast<int>(mask)) - 1;
    }
    __syncwarp();
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    active<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("__activemask: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
