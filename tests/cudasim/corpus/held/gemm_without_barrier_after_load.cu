// expect: race
// may: uninitialized
// Tiled product: the tiles are used before all threads have stored their elements.
#include <vector>

constexpr int TILE = 8;

__global__ void gemm(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];    // <- race
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + col];  // <- race
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];  // <- race
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main() {
    const int n = 16;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n, 1.0f), b(n * n, 2.0f), c(n * n);
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
    gemm<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return 0;
}
