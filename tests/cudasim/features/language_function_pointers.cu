// feature: pointers to device functions: in tables, in device variables, given to kernels
// area: language
#include <cstdio>

typedef int (*Operation)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation device_add = add;
__device__ Operation device_multiply = &multiply;
__constant__ Operation table[2] = {add, multiply};

struct Calculator {
    int base;
    __device__ int plus(int x) const { return base + x; }
};

__global__ void apply(Operation f, int* out) {
    const int i = threadIdx.x;
    Operation local[] = {add, multiply};
    int (Calculator::*member)(int) const = &Calculator::plus;
    const Calculator calculator{100};
    out[i] = f(i, 3) + table[i % 2](i, 2) + local[(i + 1) % 2](i, 2) + (calculator.*member)(i);
}

int main() {
    int *out, host[32], wrong = 0;
    cudaMalloc(&out, sizeof host);
    for (int which = 0; which < 2; which++) {
        Operation chosen;
        if (which == 0) {
            cudaMemcpyFromSymbol(&chosen, device_add, sizeof chosen);
        } else {
            cudaMemcpyFromSymbol(&chosen, device_multiply, sizeof chosen);
        }
        apply<<<1, 32>>>(chosen, out);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 32; i++) {
            wrong += host[i] != (which ? i * 3 : i + 3) + (i + 2) + i * 2 + 100 + i;
        }
    }
    cudaFree(out);
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
