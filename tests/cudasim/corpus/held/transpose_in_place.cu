// expect: nothing
// Square transpose in place: the thread of each pair below the diagonal swaps both elements.
#include <cstdio>
#include <vector>

__global__ void transpose(short* a, int n) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < n; y += gridDim.y * blockDim.y) {
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < y; x += gridDim.x * blockDim.x) {
            short swap = a[y * n + x];
            a[y * n + x] = a[x * n + y];
            a[x * n + y] = swap;
        }
    }
}

int main() {
    const int n = 29;
    std::vector<short> a(n * n), out(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = i;
    short* d_a;
    cudaMalloc(&d_a, n * n * sizeof(short));
    cudaMemcpy(d_a, a.data(), n * n * sizeof(short), cudaMemcpyHostToDevice);
    transpose<<<dim3(2, 2), dim3(7, 6)>>>(d_a, n);
    cudaMemcpy(out.data(), d_a, n * n * sizeof(short), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    for (int i = 0; i < n * n; ++i) {
        if (out[i] != a[i % n * n + i / n]) {
            printf("out[%d] is %d\n", i, out[i]);
            return 1;
        }
    }
    return 0;
}
