// expect: barrier-divergence
// may: deadlock race
// Search for a value tile by tile: who finds it leaves the loop, and the others wait for it at the barrier.
#include <cstdio>
#include <vector>

__global__ void find(const int* hay, int n, int needle, int* where) {
    __shared__ int tile[96];
    for (int base = 0; base < n; base += 96) {
        const int i = base + threadIdx.x;
        tile[threadIdx.x] = i < n ? hay[i] : ~needle;
        __syncthreads();  // <- barrier-divergence deadlock
        if (tile[95 - threadIdx.x] == needle) {
            atomicMin(where, base + 95 - int(threadIdx.x));
            break;
        }
        __syncthreads();  // <- barrier-divergence deadlock
    }
}

int main() {
    const int n = 400;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 3;
    int *d, *d_where, where = n;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&d_where, sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_where, &where, sizeof(int), cudaMemcpyHostToDevice);
    find<<<1, 96>>>(d, n, 450, d_where);
    cudaMemcpy(&where, d_where, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", where);
    cudaFree(d);
    cudaFree(d_where);
    return 0;
}
