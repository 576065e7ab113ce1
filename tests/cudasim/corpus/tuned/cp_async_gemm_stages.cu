// expect: nothing
// A product of matrices with tiles copied ahead in 2, 3 and 4 stages; sizes are no multiples, so
// the edges are filled with zeros, and the last rounds commit nothing.
#include <cuda_pipeline.h>

#include <cstdio>
#include <vector>

constexpr int TILE = 16;

template <int STAGES>
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[STAGES][TILE][TILE], right[STAGES][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    const int num_tiles = (k + TILE - 1) / TILE;
    const auto fetch = [&](int tile) {
        if (tile < num_tiles) {
            const int i = tile * TILE + x, j = tile * TILE + y, stage = tile % STAGES;
            const bool has_left = row < m && i < k, has_right = j < k && col < n;
            __pipeline_memcpy_async(&left[stage][y][x], has_left ? &a[row * k + i] : a, 4,
                                    has_left ? 0 : 4);
            __pipeline_memcpy_async(&right[stage][y][x], has_right ? &b[j * n + col] : b, 4,
                                    has_right ? 0 : 4);
        }
        __pipeline_commit();
    };
    for (int tile = 0; tile < STAGES - 1; ++tile) fetch(tile);
    float sum = 0;
    for (int tile = 0; tile < num_tiles; ++tile) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(tile + STAGES - 1);
        const int stage = tile % STAGES;
        for (int i = 0; i < TILE; ++i) sum += left[stage][y][i] * right[stage][i][x];
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

int main() {
    const int m = 37, n = 50, k = 71;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 7 - 3);
    for (int i = 0; i < k * n; ++i) b[i] = static_cast<float>(i % 5 - 2);
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), block(TILE, TILE);
    int wrong = 0;
    for (int stages = 2; stages <= 4; ++stages) {
        if (stages == 2) multiply<2><<<grid, block>>>(da, db, dc, m, n, k);
        if (stages == 3) multiply<3><<<grid, block>>>(da, db, dc, m, n, k);
        if (stages == 4) multiply<4><<<grid, block>>>(da, db, dc, m, n, k);
        cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                float sum = 0;
                for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
                wrong += c[i * n + j] != sum;
            }
        }
    }
    if (wrong) std::printf("%d products are wrong\n", wrong);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return wrong != 0;
}
