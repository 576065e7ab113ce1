// verdict: RTE
// group: sample
// en: More than 48 KiB of shared memory has to be asked for with cudaFuncSetAttribute.
// zh: 共享内存超过 48 KiB 要先用 cudaFuncSetAttribute 申请，否则启动失败。
#include <cuda_runtime.h>

// Long strips instead of tiles: 16 rows of A and 16 columns of B, 512 deep.
constexpr int T = 16, deep = 512;
constexpr int num_bytes = 2 * T * deep * sizeof(float);

static __global__ void matmul_kernel(const float* A, long long lda, const float* B, long long ldb,
                                     float* C, long long ldc, int M, int N, int K) {
    extern __shared__ float tiles[];
    float (*const a)[deep] = reinterpret_cast<float (*)[deep]>(tiles);
    float (*const b)[T] = reinterpret_cast<float (*)[T]>(tiles + T * deep);
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.x * T + y, col = blockIdx.y * T + x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += deep) {
        for (int i = x; i < deep; i += T) {
            a[y][i] = row < M && k + i < K ? A[row * lda + k + i] : 0.0f;
        }
        for (int i = y; i < deep; i += T) {
            b[i][x] = k + i < K && col < N ? B[(k + i) * ldb + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < deep; i++) {
            sum += a[y][i] * b[i][x];
        }
        __syncthreads();
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
    matmul_kernel<<<grid, block, num_bytes, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
