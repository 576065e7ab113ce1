// style: tiles of 32 by 32 for 1024 threads, A transposed in its tile, one word of gap in each row
#include <cuda_runtime.h>

constexpr int T = 32;

static __global__ void __launch_bounds__(T* T)
    matmul_kernel(const float* A, long long lda, const float* B, long long ldb, float* C,
                  long long ldc, int M, int N, int K) {
    // Without the gap the lanes of a warp, one below the other, would all store to one bank.
    __shared__ float a[T][T + 1], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.x * T + y, col = blockIdx.y * T + x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += T) {
        a[x][y] = row < M && k + x < K ? A[row * lda + k + x] : 0.0f;
        b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
        __syncthreads();
        const int depth = K - k < T ? K - k : T;
        for (int d = 0; d < depth; d++) {
            sum += a[d][y] * b[d][x];
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
    const dim3 grid((M + T - 1) / T, (N + T - 1) / T);
    matmul_kernel<<<grid, dim3(T, T), 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
