// verdict: CE
// en: All cores of the host multiply.
// zh: 让主机的所有核心来做乘法。
#include <cuda_runtime.h>

static bool fits(int stride, int width) { return stride >= (width > 1 ? width : 1); }

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    cudaStreamSynchronize(stream);
#pragma omp parallel for
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++) {
                sum += A[i * 1LL * lda + k] * B[k * 1LL * ldb + j];
            }
            C[static_cast<long long>(i) * ldc + j] = sum;
        }
    }
    return cudaSuccess;
}
