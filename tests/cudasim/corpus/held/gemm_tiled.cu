// expect: nothing
// Matrix product through square tiles in shared memory; the sizes are no multiples of the tile.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int TILE = 8;

__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        int a_col = start + threadIdx.x;
        int b_row = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

int main() {
    const int m = 19, n = 13, k = 21;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = (i * 7 % 11) - 5.0f;
    for (int i = 0; i < k * n; ++i) b[i] = (i * 5 % 13) - 6.0f;
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, a.size() * sizeof(float));
    cudaMalloc(&d_b, b.size() * sizeof(float));
    cudaMalloc(&d_c, c.size() * sizeof(float));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    gemm<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
    cudaDeviceSynchronize();
    cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            float sum = 0.0f;
            for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
            if (std::fabs(sum - c[row * n + col]) > 1e-3f) {
                printf("c[%d][%d] is %f, not %f\n", row, col, c[row * n + col], sum);
                return 1;
            }
        }
    }
    return 0;
}
