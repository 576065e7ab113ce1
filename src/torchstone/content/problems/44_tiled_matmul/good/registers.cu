// style: 64 by 64 by 8 with 4 by 4 neighbouring results in registers, one buffer
#include <cuda_runtime.h>

namespace {

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
constexpr int num_threads = (BM / TM) * (BN / TN);

__global__ void product(const float* A, int lda, const float* B, int ldb, float* C, int ldc, int M,
                        int N, int K) {
    __shared__ float As[BM][BK + 1], Bs[BK][BN];
    const int first_row = blockIdx.x * BM, first_col = blockIdx.y * BN;
    const int my_row = threadIdx.x / (BN / TN) * TM, my_col = threadIdx.x % (BN / TN) * TN;
    float results[TM][TN] = {{0.0f}};
    for (int k = 0; k < K; k += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += num_threads) {
            const int row = first_row + i / BK, column = k + i % BK;
            As[i / BK][i % BK] =
                row < M && column < K ? A[row * static_cast<size_t>(lda) + column] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += num_threads) {
            const int row = k + i / BN, column = first_col + i % BN;
            Bs[i / BN][i % BN] =
                row < K && column < N ? B[row * static_cast<size_t>(ldb) + column] : 0.0f;
        }
        __syncthreads();
        for (int d = 0; d < BK; d++) {
            float left[TM], right[TN];
            for (int i = 0; i < TM; i++) left[i] = As[my_row + i][d];
            for (int j = 0; j < TN; j++) right[j] = Bs[d][my_col + j];
            for (int i = 0; i < TM; i++) {
                for (int j = 0; j < TN; j++) results[i][j] += left[i] * right[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++) {
        const int row = first_row + my_row + i;
        for (int j = 0; j < TN && row < M; j++) {
            const int column = first_col + my_col + j;
            if (column < N) C[row * static_cast<size_t>(ldc) + column] = results[i][j];
        }
    }
}

}  // namespace

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || lda < 1 || lda < K || ldb < 1 || ldb < N || ldc < 1 || ldc < N) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    const dim3 grid((M + BM - 1) / BM, (N + BN - 1) / BN);
    product<<<grid, num_threads, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
