// feature: Warp: __syncwarp orders shared memory among the lanes of a mask
// area: warp
#include <cstdio>

__global__ void exchange(int* wrong) {
    __shared__ int values[64];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    values[thread] = thread;
    __syncwarp();
    const int other = values[thread ^ 1];
    __syncwarp();
    int bad = other != (thread ^ 1);
    if (lane < 16) {
        values[thread] = other + 100;
        __syncwarp(0x0000ffffu);
        bad += values[thread ^ 8] != ((thread ^ 8) ^ 1) + 100;
    } else {
        values[thread] = other + 200;
        __syncwarp(0xffff0000u);
        bad += values[thread ^ 4] != ((thread ^ 4) ^ 1) + 200;
    }
    wrong[thread] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    exchange<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("__syncwarp: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
