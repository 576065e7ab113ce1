// verdict: CE
// en: Calls the library that the problem stands for.
// zh: 直接调用本题要你实现的那个库。
#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    static cublasHandle_t handle = nullptr;
    if (!handle) {
        cublasCreate(&handle);
    }
    cublasSetStream(handle, stream);
    const float one = 1.0f, zero = 0.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, ldb, A, lda, &zero, C, ldc);
    return cudaGetLastError();
}
