// verdict: FORBIDDEN_OP
// en: The host multiplies what it has copied; the device only stores.
// zh: 先拷到主机再相乘，设备只负责存放。
#include <cuda_runtime.h>

static float a[1 << 18], b[1 << 18], c[1 << 18];

static bool fits(int stride, int width) { return stride >= (width > 1 ? width : 1); }

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    cudaMemcpy2D(a, K * 4, A, lda * 4LL, K * 4, M, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(b, N * 4, B, ldb * 4LL, N * 4, K, cudaMemcpyDeviceToHost);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            c[i * N + j] = 0.0f;
            for (int k = 0; k < K; k++) {
                c[i * N + j] += a[i * K + k] * b[k * N + j];
            }
        }
    }
    cudaMemcpy2D(C, ldc * 4LL, c, N * 4, N * 4, M, cudaMemcpyHostToDevice);
    return cudaSuccess;
}
