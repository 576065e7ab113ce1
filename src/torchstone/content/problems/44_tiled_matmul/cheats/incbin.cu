// verdict: CE
// en: Has the assembler read a file into the program.
// zh: 让汇编器把一个文件读进程序。
#include <cuda_runtime.h>

asm(".section .rodata\nkept: .incbin \"/etc/passwd\"\n.previous");
extern "C" const char kept[];

static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
                                     float* C, long long ldc, int M, int N, int K) {
    const int row = blockIdx.x * 16 + threadIdx.y, col = blockIdx.y * 16 + threadIdx.x;
    if (row < M && col < N) {
        C[row * ldc + col] = kept[0];
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
