// feature: a kernel whose threads leave early and whose fault would lie in a branch not taken
// area: runtime
#include <cstdio>

__global__ void guarded(int* data, int n, const int* never) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    data[i] = never ? *never : i;
    if (i < 0) {
        data[1 << 30] = 100 / (i - i);
    }
}

int main() {
    const int n = 70;
    int *data, host[n], wrong = 0;
    cudaMalloc(&data, sizeof host);
    guarded<<<3, 32>>>(data, n, nullptr);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += host[i] != i;
    }
    cudaFree(data);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
