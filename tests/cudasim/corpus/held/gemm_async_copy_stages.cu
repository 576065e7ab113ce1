// expect: nothing
// Three-stage software pipeline: tiles brought by __pipeline_memcpy_async as float4, waited for two commits behind.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_pipeline.h>

template <int BM, int BN, int BK, int STAGES>
__global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K) {
    extern __shared__ __align__(16) unsigned char smem[];
    float(*As)[BM][BK] = reinterpret_cast<float(*)[BM][BK]>(smem);
    float(*Bs)[BK][BN] = reinterpret_cast<float(*)[BK][BN]>(smem + sizeof(float) * STAGES * BM * BK);
    const int t = threadIdx.x, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, tiles = K / BK;
    auto fetch = [&](int tile) {
        if (tile < tiles) {
            const int s = tile % STAGES;
            for (int e = t * 4; e < BM * BK; e += blockDim.x * 4)
                __pipeline_memcpy_async(&As[s][e / BK][e % BK], &A[(row0 + e / BK) * K + tile * BK + e % BK], 16);
            for (int e = t * 4; e < BK * BN; e += blockDim.x * 4)
                __pipeline_memcpy_async(&Bs[s][e / BN][e % BN], &B[(tile * BK + e / BN) * N + col0 + e % BN], 16);
        }
        __pipeline_commit();
    };
    for (int s = 0; s < STAGES - 1; ++s) fetch(s);
    float acc[2] = {0.f, 0.f};
    const int r = t / BN, c = t % BN;
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(tile + STAGES - 1);
        const int s = tile % STAGES;
        for (int k = 0; k < BK; ++k) {
            acc[0] += As[s][r][k] * Bs[s][k][c];
            acc[1] += As[s][r + BM / 2][k] * Bs[s][k][c];
        }
    }
    C[(row0 + r) * N + col0 + c] = acc[0];
    C[(row0 + r + BM / 2) * N + col0 + c] = acc[1];
}

int main() {
    constexpr int BM = 16, BN = 16, BK = 8, STAGES = 3;
    const int M = 48, N = 80, K = 56;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = i % 10 - 4.5f;
    for (int i = 0; i < K * N; ++i) b[i] = i % 6 - 2.5f;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    constexpr size_t shared = sizeof(float) * STAGES * (BM * BK + BK * BN);
    auto kernel = gemm<BM, BN, BK, STAGES>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<dim3(N / BN, M / BM), BM * BN / 2, shared>>>(da, db, dc, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float want = 0;
            for (int k = 0; k < K; ++k) want += a[i * K + k] * b[k * N + j];
            if (std::fabs(c[i * N + j] - want) > 1e-2f) { printf("(%d, %d)\n", i, j); return 1; }
        }
    return 0;
}
