// feature: Warp shuffles: __shfl_sync, _up, _down and _xor of every type and width
// area: warp
#include <cstdio>

template <class T>
__device__ int check(int lane, int width) {
    const unsigned all = 0xffffffffu;
    const int first = lane / width * width, rank = lane % width;
    const T value = static_cast<T>(lane + 1);
    int bad = __shfl_sync(all, value, 3, width) != static_cast<T>(first + 3 % width + 1);
    const int next = first + (rank + 1) % width;
    bad += __shfl_sync(all, value, rank + 1, width) != static_cast<T>(next + 1);
    bad += __shfl_up_sync(all, value, 2, width) != static_cast<T>(rank >= 2 ? lane - 1 : lane + 1);
    bad += __shfl_down_sync(all, value, 1, width) !=
           static_cast<T>(rank + 1 < width ? lane + 2 : lane + 1);
    // Beyond the own segment, only lanes of segments before it are read.
    const int other = lane ^ 5;
    const T expected = static_cast<T>(other / width <= lane / width ? other + 1 : lane + 1);
    bad += __shfl_xor_sync(all, value, 5, width) != expected;
    return bad;
}

template <class T>
__device__ int check_widths(int lane) {
    int bad = 0;
    for (int width = 1; width <= 32; width *= 2) {
        bad += check<T>(lane, width);
    }
    const unsigned all = 0xffffffffu;
    bad += __shfl_sync(all, static_cast<T>(lane), 31) != static_cast<T>(31);
    bad += __shfl_sync(all, static_cast<T>(lane), 33) != static_cast<T>(1);
    bad += __shfl_sync(all, static_cast<T>(lane), -1) != static_cast<T>(31);
    bad += __shfl_xor_sync(all, static_cast<T>(lane), 31) != static_cast<T>(31 - lane);
    bad += __shfl_up_sync(all, static_cast<T>(lane), 32) != static_cast<T>(lane);
    bad += __shfl_down_sync(all, static_cast<T>(lane), 40) != static_cast<T>(lane);
    return bad;
}

__global__ void shuffles(int* wrong) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    int bad = check_widths<int>(lane) + check_widths<unsigned>(lane);
    bad += check_widths<long>(lane) + check_widths<unsigned long>(lane);
    bad += check_widths<long long>(lane) + check_widths<unsigned long long>(lane);
    bad += check_widths<float>(lane) + check_widths<double>(lane);
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    shuffles<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("shuffles: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
