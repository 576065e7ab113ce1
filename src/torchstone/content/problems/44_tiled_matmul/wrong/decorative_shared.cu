// verdict: SLOW
// group: perf
// en: Reuse is loads per multiply-add, not the keyword __shared__.
// zh: 复用看的是每次乘加的加载数，而不是有没有写 `__shared__`。
#include <cuda_runtime.h>

constexpr int T = 16;

static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
                                     float* C, long long ldc, int M, int N, int K) {
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.x * T + y, col = blockIdx.y * T + x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) {
        a[y][x] = row < M ? A[row * lda + k] : 0.0f;
        b[y][x] = col < N ? B[k * ldb + col] : 0.0f;
        sum += a[y][x] * b[y][x];
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
    const dim3 grid((M + T - 1) / T, (N + T - 1) / T), block(T, T);
    matmul_kernel<<<grid, block, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
