// expect: uninitialized
// 32 x 8 threads fill a 32 x 32 tile, stepping by blockDim.x instead of blockDim.y: three quarters stay empty.
#include <cstdio>
#include <vector>

#define TILE 32

__global__ void column_sums(const int* m, int* out, int rows, int cols) {
    __shared__ int tile[TILE][TILE];
    const int c = blockIdx.x * TILE + threadIdx.x;
    for (int r = threadIdx.y; r < TILE; r += blockDim.x) {
        const int row = blockIdx.y * TILE + r;
        tile[r][threadIdx.x] = row < rows && c < cols ? m[row * cols + c] : 0;
    }
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        int s = 0;
        for (int r = 0; r < TILE; ++r) s += tile[r][threadIdx.x];  // <- uninitialized
        atomicAdd(out + c, s);
    }
}

int main() {
    const int rows = 75, cols = 50;
    std::vector<int> h(rows * cols, 1), sums(cols);
    int *d_m, *d_out;
    cudaMalloc(&d_m, h.size() * sizeof(int));
    cudaMalloc(&d_out, cols * sizeof(int));
    cudaMemcpy(d_m, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, cols * sizeof(int));
    dim3 block(TILE, 8), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    column_sums<<<grid, block>>>(d_m, d_out, rows, cols);
    cudaMemcpy(sums.data(), d_out, cols * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", sums[0]);
    cudaFree(d_m);
    cudaFree(d_out);
    return 0;
}
