// style: a tile of 32 by 32 for 32 by 8 threads, each with four rows of a column
#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8
#define EACH (TILE / ROWS)

__device__ float pick(const float* __restrict__ from, size_t ld, int i, int j, int rows, int cols) {
    if (i >= rows || j >= cols) return 0.f;
    return __ldg(from + i * ld + j);
}

__global__ void sgemm_32x8(const float* A, size_t lda, const float* B, size_t ldb, float* C,
                           size_t ldc, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    // Columns walk along grid.y, and go round again where there are more than fit.
    const int row0 = blockIdx.x * TILE;
    for (int col0 = blockIdx.y * TILE; col0 < N; col0 += gridDim.y * TILE) {
        const int col = col0 + tx;
        float acc[EACH] = {0.f, 0.f, 0.f, 0.f};
        for (int k0 = 0; k0 < K; k0 += TILE) {
#pragma unroll
            for (int r = ty; r < TILE; r += ROWS) {
                As[r][tx] = pick(A, lda, row0 + r, k0 + tx, M, K);
                Bs[r][tx] = pick(B, ldb, k0 + r, col, K, N);
            }
            __syncthreads();
            const int depth = K - k0 < TILE ? K - k0 : TILE;
            for (int k = 0; k < depth; ++k) {
                const float b = Bs[k][tx];
#pragma unroll
                for (int e = 0; e < EACH; ++e) acc[e] = fmaf(As[ty + e * ROWS][k], b, acc[e]);
            }
            __syncthreads();
        }
        for (int e = 0; e < EACH; ++e) {
            const int row = row0 + ty + e * ROWS;
            if (row < M && col < N) C[row * ldc + col] = acc[e];
        }
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    const int least = 1;
    if (M < 0 || N < 0 || K < 0) return cudaErrorInvalidValue;
    if (lda < K || lda < least || ldb < N || ldb < least || ldc < N || ldc < least)
        return cudaErrorInvalidValue;
    if (!M || !N) return cudaSuccess;
    const unsigned across = (N - 1) / TILE + 1u;
    const dim3 grid((M - 1) / TILE + 1u, across < 65535u ? across : 65535u);
    sgemm_32x8<<<grid, dim3(TILE, ROWS), 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaPeekAtLastError();
}
