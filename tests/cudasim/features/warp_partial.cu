// feature: Warp: a block whose last warp is not whole, and lanes that have returned
// area: warp
#include <cstdio>

__global__ void partial(int* wrong) {
    const unsigned all = 0xffffffffu;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const int lanes = thread < 32 ? 32 : 8;
    const unsigned mask = thread < 32 ? all : 0xffu;
    int bad = __shfl_xor_sync(mask, thread, 1) != (thread ^ 1);
    bad += __ballot_sync(mask, 1) != mask;
    bad += __reduce_add_sync(mask, 1) != lanes;
    // The full mask may name lanes that do not exist.
    bad += __shfl_sync(all, thread, 0) != thread - lane;
    int sum = lane < lanes ? 1 : 0;
    for (int i = 16; i > 0; i /= 2) {
        const int other = __shfl_down_sync(all, sum, i);
        sum += lane + i < lanes ? other : 0;
    }
    bad += lane == 0 && sum != lanes;
    wrong[thread] = bad;
    if (lane >= 4) return;
    wrong[thread] += __shfl_sync(0xfu, thread, 3) != thread - lane + 3;
    __syncwarp(0xfu);
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 40 * sizeof(int));
    partial<<<1, 40>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("a warp that is not whole: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
