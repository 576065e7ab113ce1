// feature: A block as large as __launch_bounds__ allows, the bound from a template or a constant
// area: language
#include <cstdio>

constexpr int most = 128;

__global__ void __launch_bounds__(most) count(int* total) { atomicAdd(total, 1); }

template <int Threads, class T>
__global__ void __launch_bounds__(2 * Threads, 1) add(T* total, T step) {
    atomicAdd(total, step);
}

int main() {
    int* total;
    cudaMallocManaged(&total, sizeof *total);
    *total = 0;
    count<<<2, most>>>(total);
    count<<<1, dim3(8, 4, 4)>>>(total);
    add<32><<<1, 64>>>(total, 10);
    add<32, int><<<1, 1>>>(total, 1000);
    if (cudaDeviceSynchronize() != cudaSuccess || *total != 3 * most + 640 + 1000) {
        std::printf("%d threads were counted\n", *total);
        return 1;
    }
    cudaFree(total);
    return 0;
}
