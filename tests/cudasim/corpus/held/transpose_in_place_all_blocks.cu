// expect: race
// In-place transpose of a square matrix by pairs of tiles, but the blocks above the diagonal do not stand back.
#include <cstdio>
#include <vector>

template <int T>
__global__ void transposeInPlace(int* m, int n) {
    __shared__ int upper[T][T + 1], lower[T][T + 1];
    const int bx = blockIdx.x * T, by = blockIdx.y * T, tx = threadIdx.x, ty = threadIdx.y;
    // if (bx > by) return;  would leave each pair to one block
    if (bx + tx < n && by + ty < n) upper[ty][tx] = m[(by + ty) * n + bx + tx];  // <- race
    if (by + tx < n && bx + ty < n) lower[ty][tx] = m[(bx + ty) * n + by + tx];  // <- race
    __syncthreads();
    if (by + tx < n && bx + ty < n) m[(bx + ty) * n + by + tx] = upper[tx][ty];  // <- race
    if (bx != by && bx + tx < n && by + ty < n) m[(by + ty) * n + bx + tx] = lower[tx][ty];  // <- race
}

int main() {
    const int n = 37;
    std::vector<int> h(n * n);
    for (int i = 0; i < n * n; ++i) h[i] = i;
    int* d;
    cudaMalloc(&d, h.size() * sizeof(int));
    cudaMemcpy(d, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    dim3 block(8, 8), grid((n + 7) / 8, (n + 7) / 8);
    transposeInPlace<8><<<grid, block>>>(d, n);
    cudaMemcpy(h.data(), d, h.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%d\n", h[1]);
    return 0;
}
