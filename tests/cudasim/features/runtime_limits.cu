// feature: cudaDeviceGetLimit and cudaDeviceSetLimit; a larger stack
// area: runtime
#include <cstdio>

__device__ int deep(volatile int* out, int n) {
    volatile int here[256];
    here[n % 256] = n;
    return n == 0 ? out[0] : deep(out, n - 1) + (here[n % 256] == n);
}
__global__ void run(int* out) { out[threadIdx.x + 1] = deep(out, 100); }

int main() {
    size_t value = 0;
    int wrong = 0, *out, host[65];
    wrong += cudaDeviceGetLimit(&value, cudaLimitStackSize) != cudaSuccess || value < 512;
    wrong += cudaDeviceSetLimit(cudaLimitStackSize, 160 << 10) != cudaSuccess;
    wrong += cudaDeviceGetLimit(&value, cudaLimitStackSize) != cudaSuccess || value < 160 << 10;
    wrong += cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20) != cudaSuccess;
    wrong += cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) != cudaSuccess;
    wrong += cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) != cudaSuccess;
    wrong += value < 64 << 20;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    run<<<1, 64>>>(out);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        wrong += host[i + 1] != 100;
    }
    cudaFree(out);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
