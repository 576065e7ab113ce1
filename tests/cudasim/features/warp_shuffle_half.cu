// feature: Warp shuffles of __half, __half2 and __nv_bfloat16
// area: warp
#include <cstdio>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void shuffles(int* wrong) {
    const unsigned all = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x);
    const __half half = __float2half(static_cast<float>(lane));
    int bad = __half2float(__shfl_xor_sync(all, half, 1)) != static_cast<float>(lane ^ 1);
    bad += __half2float(__shfl_sync(all, half, 7)) != 7.0f;
    bad += __half2float(__shfl_up_sync(all, half, 1)) != static_cast<float>(lane ? lane - 1 : 0);
    const __half2 pair = __floats2half2_rn(static_cast<float>(lane), static_cast<float>(-lane));
    const __half2 down = __shfl_down_sync(all, pair, 16);
    const float from = static_cast<float>(lane < 16 ? lane + 16 : lane);
    bad += __low2float(down) != from || __high2float(down) != -from;
    const __nv_bfloat16 narrow = __float2bfloat16(static_cast<float>(lane));
    bad += __bfloat162float(__shfl_sync(all, narrow, lane + 1, 4)) !=
           static_cast<float>(lane / 4 * 4 + (lane + 1) % 4);
    wrong[lane] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 32 * sizeof(int));
    shuffles<<<1, 32>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 32; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("shuffles of sixteen bits: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
