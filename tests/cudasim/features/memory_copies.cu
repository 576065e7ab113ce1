// feature: cudaMalloc, cudaFree, cudaMemcpy of every kind, cudaMemset, cudaMemGetInfo
// area: memory
#include <cstdint>
#include <cstdio>

int main() {
    const int n = 1000;
    int host[n], back[n], wrong = 0;
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    size_t free_before = 0, free_after = 0, total = 0;
    wrong += cudaMemGetInfo(&free_before, &total) != cudaSuccess || free_before > total;
    int *a, *b;
    wrong += cudaMalloc(&a, sizeof host) != cudaSuccess;
    wrong += cudaMalloc(reinterpret_cast<void**>(&b), sizeof host) != cudaSuccess;
    cudaMemGetInfo(&free_after, &total);
    wrong += free_after > free_before;
    wrong += reinterpret_cast<uintptr_t>(a) % 16 != 0;
    wrong += cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess;
    wrong += cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice) != cudaSuccess;
    wrong += cudaMemcpy(back, b, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < n; i++) {
        wrong += back[i] != i;
    }
    wrong += cudaMemcpy(b + 500, a, 500 * sizeof(int), cudaMemcpyDefault) != cudaSuccess;
    wrong += cudaMemcpy(back, b + 500, 500 * sizeof(int), cudaMemcpyDefault) != cudaSuccess;
    wrong += cudaMemcpy(back + 500, host, 500 * sizeof(int), cudaMemcpyHostToHost) != cudaSuccess;
    for (int i = 0; i < n; i++) {
        wrong += back[i] != i % 500;
    }
    wrong += cudaMemset(a, 0xff, sizeof host) != cudaSuccess;
    wrong += cudaMemset(a + 1, 0x01, 3) != cudaSuccess;
    cudaMemcpy(back, a, sizeof host, cudaMemcpyDeviceToHost);
    wrong += back[0] != -1 || back[1] != static_cast<int>(0xff010101) || back[n - 1] != -1;
    wrong += cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice) != cudaSuccess;
    int* nothing = a;
    wrong += cudaMalloc(&nothing, 0) != cudaSuccess || nothing != nullptr;
    wrong += cudaFree(nothing) != cudaSuccess || cudaFree(0) != cudaSuccess;
    wrong += cudaFree(a) != cudaSuccess || cudaFree(b) != cudaSuccess;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
