// feature: recursion in device code
// area: language
#include <cstdio>

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ void hanoi(int n, int from, int to, int spare, int* moves) {
    if (n > 0) {
        hanoi(n - 1, from, spare, to, moves);
        ++*moves;
        hanoi(n - 1, spare, to, from, moves);
    }
}

__device__ int depth(int n) {
    volatile int here[8];
    here[n % 8] = n;
    return n == 0 ? 0 : here[n % 8] - (n - 1) + depth(n - 1);
}

__global__ void recurse(int* out) {
    int moves = 0;
    hanoi(threadIdx.x % 8, 0, 1, 2, &moves);
    out[threadIdx.x] = fibonacci(threadIdx.x % 16) * 1000 + moves + depth(200);
}

int main() {
    int *out, host[64], fib[16] = {0, 1};
    for (int i = 2; i < 16; i++) {
        fib[i] = fib[i - 1] + fib[i - 2];
    }
    cudaMalloc(&out, sizeof host);
    cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10);
    recurse<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int i = 0; i < 64; i++) {
        const int want = fib[i % 16] * 1000 + (1 << i % 8) - 1 + 200;
        if (host[i] != want) {
            std::printf("out[%d] is %d and not %d\n", i, host[i], want);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
