// style: sums in double, block indices folded into one dimension
#include <cuda_runtime.h>

constexpr unsigned T = 16;

__global__ void in_double(const float* A, const float* B, float* C, long long lda, long long ldb,
                          long long ldc, unsigned M, unsigned N, unsigned K, unsigned across) {
    __shared__ double left[T][T], right[T][T];
    const unsigned i = blockIdx.x / across * T + threadIdx.y;
    const unsigned j = blockIdx.x % across * T + threadIdx.x;
    double sum = 0.0;
    for (unsigned k = 0; k < K; k += T) {
        const unsigned of_a = k + threadIdx.x, of_b = k + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = i < M && of_a < K ? A[i * lda + of_a] : 0.0;
        right[threadIdx.y][threadIdx.x] = of_b < K && j < N ? B[of_b * ldb + j] : 0.0;
        __syncthreads();
#pragma unroll
        for (unsigned d = 0; d < T; d++) {
            sum += left[threadIdx.y][d] * right[d][threadIdx.x];
        }
        __syncthreads();
    }
    if (i < M && j < N) {
        C[i * ldc + j] = static_cast<float>(sum);
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || lda < K || ldb < N || ldc < N || lda < 1 || ldb < 1 || ldc < 1) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    const unsigned down = (M + T - 1) / T, across = (N + T - 1) / T;
    in_double<<<down * across, dim3(T, T), 0, stream>>>(A, B, C, lda, ldb, ldc, M, N, K, across);
    return cudaGetLastError();
}
