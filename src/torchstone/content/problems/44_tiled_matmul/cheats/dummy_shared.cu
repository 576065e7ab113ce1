// verdict: SLOW
// en: A product without tiles, and shared memory for show.
// zh: 没有瓦片的朴素乘法，再摆一块共享内存做样子。
#include <cuda_runtime.h>

static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
                                     float* C, long long ldc, int M, int N, int K) {
    __shared__ float shown[256];
    const int me = threadIdx.y * 16 + threadIdx.x;
    const int row = blockIdx.x * 16 + threadIdx.y, col = blockIdx.y * 16 + threadIdx.x;
    shown[me] = 0.0f;
    __syncthreads();
    float sum = shown[255 - me];
    for (int k = 0; k < K && row < M && col < N; k++) {
        sum += A[row * lda + k] * B[k * ldb + col];
    }
    if (row < M && col < N) {
        C[row * ldc + col] = sum;
    }
}

static bool fits(int stride, int width) { return stride >= (width > 1 ? width : 1); }

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    const dim3 grid((M + 15) / 16, (N + 15) / 16), block(16, 16);
    matmul_kernel<<<grid, block, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
