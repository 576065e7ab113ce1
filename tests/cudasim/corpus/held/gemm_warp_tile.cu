// expect: nothing
// Warp tiling: block tile, warp tile, thread tile; the sizes as a struct of constants, bounds checked everywhere.
#include <cmath>
#include <cstdio>
#include <vector>

struct Config {
    static constexpr int BM = 32, BN = 64, BK = 8;
    static constexpr int WM = 16, WN = 32;  // per warp
    static constexpr int TM = 4, TN = 4;    // per thread: 4 x 8 threads of a warp
    static constexpr int WARPS = (BM / WM) * (BN / WN), THREADS = WARPS * 32;
    static_assert(WM / TM * (WN / TN) == 32, "a warp tile has one thread tile for each lane");
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::THREADS) gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[Cfg::BK][Cfg::BM + 1];
    __shared__ float Bs[Cfg::BK][Cfg::BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = blockIdx.y * Cfg::BM, col0 = blockIdx.x * Cfg::BN;
    const int r = warp / (Cfg::BN / Cfg::WN) * Cfg::WM + lane / (Cfg::WN / Cfg::TN) * Cfg::TM;
    const int c = warp % (Cfg::BN / Cfg::WN) * Cfg::WN + lane % (Cfg::WN / Cfg::TN) * Cfg::TN;
    float acc[Cfg::TM][Cfg::TN] = {};
    for (int k0 = 0; k0 < K; k0 += Cfg::BK) {
        for (int e = threadIdx.x; e < Cfg::BM * Cfg::BK; e += Cfg::THREADS) {
            const int m = e / Cfg::BK, k = e % Cfg::BK;
            As[k][m] = row0 + m < M && k0 + k < K ? A[(row0 + m) * K + k0 + k] : 0.f;
        }
        for (int e = threadIdx.x; e < Cfg::BK * Cfg::BN; e += Cfg::THREADS) {
            const int k = e / Cfg::BN, n = e % Cfg::BN;
            Bs[k][n] = k0 + k < K && col0 + n < N ? B[(k0 + k) * N + col0 + n] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < Cfg::BK; ++k) {
            float a[Cfg::TM], b[Cfg::TN];
#pragma unroll
            for (int i = 0; i < Cfg::TM; ++i) a[i] = As[k][r + i];
#pragma unroll
            for (int j = 0; j < Cfg::TN; ++j) b[j] = Bs[k][c + j];
#pragma unroll
            for (int i = 0; i < Cfg::TM; ++i)
#pragma unroll
                for (int j = 0; j < Cfg::TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < Cfg::TM; ++i)
        for (int j = 0; j < Cfg::TN; ++j)
            if (row0 + r + i < M && col0 + c + j < N) C[(row0 + r + i) * N + col0 + c + j] = acc[i][j];
}

int main() {
    const int M = 71, N = 93, K = 45;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (size_t i = 0; i < a.size(); ++i) a[i] = 0.5f * float(i % 8);
    for (size_t i = 0; i < b.size(); ++i) b[i] = 0.25f * float(i % 11) - 1.0f;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    const dim3 grid((N + Config::BN - 1) / Config::BN, (M + Config::BM - 1) / Config::BM);
    gemm<Config><<<grid, Config::THREADS>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double want = 0;
            for (int k = 0; k < K; ++k) want += a[i * K + k] * b[k * N + j];
            if (std::fabs(want - c[i * N + j]) > 1e-3) {
                printf("(%d, %d): %f, not %f\n", i, j, c[i * N + j], want);
                return 1;
            }
        }
    return 0;
}
