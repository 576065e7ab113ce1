// feature: __global__, __device__ and __host__ __device__ functions
// area: language
#include <cstdio>

__device__ int twice(int x) { return 2 * x; }
__host__ __device__ int thrice(int x) { return 3 * x; }
static __device__ __forceinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int negate(int x) { return -x; }
__host__ int on_host(int x) { return thrice(x) + 1; }

__device__ int counters[4];

__global__ void apply(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = add(twice(i), negate(thrice(i)));
        counters[i % 4] = i % 4;
    }
}

int main() {
    const int n = 100;
    int* device = nullptr;
    int host[n];
    cudaMalloc(&device, n * sizeof(int));
    apply<<<4, 32>>>(device, n);
    cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    int wrong = on_host(5) != 16;
    for (int i = 0; i < n; i++) {
        wrong += host[i] != 2 * i - 3 * i;
    }
    int marks[4];
    cudaMemcpyFromSymbol(marks, counters, sizeof marks);
    for (int i = 0; i < 4; i++) {
        wrong += marks[i] != i;
    }
    if (wrong || cudaGetLastError() != cudaSuccess) {
        std::printf("%d values are wrong\n", wrong);
        return 1;
    }
    return 0;
}
