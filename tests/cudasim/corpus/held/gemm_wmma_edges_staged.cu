// expect: nothing
// Half-precision product with wmma: four warps per block, edges staged through zero-filled shared tiles.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
constexpr int W = 16, WARPS_X = 2, WARPS_Y = 2, PAD = 8;

__global__ void hgemm(const half* a, const half* b, float* c, int M, int N, int K) {
    __shared__ __align__(32) half sa[WARPS_Y * W][W + PAD];
    __shared__ __align__(32) half sb[W][WARPS_X * W + PAD];
    __shared__ __align__(32) float sc[WARPS_X * WARPS_Y][W * W];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wy = warp / WARPS_X, wx = warp % WARPS_X;
    const int row0 = blockIdx.y * WARPS_Y * W, col0 = blockIdx.x * WARPS_X * W;
    wmma::fragment<wmma::matrix_a, W, W, W, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, W, W, W, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, W, W, W, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < K; k0 += W) {
        for (int e = threadIdx.x; e < WARPS_Y * W * W; e += blockDim.x) {
            int r = e / W, k = e % W;
            sa[r][k] = row0 + r < M && k0 + k < K ? a[(row0 + r) * K + k0 + k] : __float2half(0.0f);
        }
        for (int e = threadIdx.x; e < W * WARPS_X * W; e += blockDim.x) {
            int k = e / (WARPS_X * W), n = e % (WARPS_X * W);
            sb[k][n] = k0 + k < K && col0 + n < N ? b[(k0 + k) * N + col0 + n] : __float2half(0.0f);
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &sa[wy * W][0], W + PAD);
        wmma::load_matrix_sync(fb, &sb[0][wx * W], WARPS_X * W + PAD);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(sc[warp], acc, W, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < W * W; e += 32) {
        int r = row0 + wy * W + e / W, n = col0 + wx * W + e % W;
        if (r < M && n < N) c[r * N + n] = sc[warp][e];
    }
}

int main() {
    const int M = 37, N = 50, K = 41;
    std::vector<half> a(M * K), b(K * N);
    std::vector<float> fa(M * K), fb(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = __float2half(fa[i] = (i % 7 - 3) * 0.5f);
    for (int i = 0; i < K * N; ++i) b[i] = __float2half(fb[i] = (i % 5 - 2) * 0.25f);
    half *da, *db;
    float* dc;
    cudaMalloc(&da, a.size() * sizeof(half));
    cudaMalloc(&db, b.size() * sizeof(half));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
    hgemm<<<dim3((N + 31) / 32, (M + 31) / 32), 128>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float want = 0;
            for (int k = 0; k < K; ++k) want += fa[i * K + k] * fb[k * N + j];
            if (std::fabs(c[i * N + j] - want) > 1e-3f) { printf("%d %d: %f %f\n", i, j, c[i * N + j], want); return 1; }
        }
    return 0;
}
