// expect: uninitialized
// Tiled product whose size is no multiple of the tile: the edge of the tile is left as it is.
#include <vector>

constexpr int TILE = 8;

__global__ void gemm(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        if (row < n && start + x < n) tile_a[y][x] = a[row * n + start + x];
        if (col < n && start + y < n) tile_b[y][x] = b[(start + y) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[y][i] * tile_b[i][x];  // <- uninitialized
        }
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

int main() {
    const int n = 12;
    std::vector<float> a(n * n, 1.0f), c(n * n);
    float *d_a, *d_c;
    cudaMalloc(&d_a, n * n * sizeof(float));
    cudaMalloc(&d_c, n * n * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    gemm<<<dim3(2, 2), dim3(TILE, TILE)>>>(d_a, d_a, d_c, n);
    cudaMemcpy(c.data(), d_c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_c);
    return 0;
}
