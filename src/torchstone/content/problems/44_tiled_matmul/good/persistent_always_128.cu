// style: always 128 persistent blocks, of which small products leave most without work
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int T = 32, each = 4;

__global__ void __launch_bounds__(T* T / each)
    stay(const float* A, long long lda, const float* B, long long ldb, float* C, long long ldc,
         int M, int N, int K) {
    __shared__ float a[T][T], b[T][T];
    const cg::thread_block block = cg::this_thread_block();
    const int x = threadIdx.x % T, y = threadIdx.x / T * each;
    const long long across = (N + T - 1) / T, num_tiles = (M + T - 1) / T * across;
    for (long long tile = blockIdx.x; tile < num_tiles; tile += gridDim.x) {
        const int row = static_cast<int>(tile / across) * T;
        const int col = static_cast<int>(tile % across) * T;
        float sums[each] = {};
        int k = 0;
        // K may be 0, and the sum is written nevertheless.
        while (k < K) {
            for (int i = 0; i < each; i++) {
                const int r = row + y + i, d = k + y + i;
                a[y + i][x] = r < M && k + x < K ? A[r * lda + k + x] : 0.0f;
                b[y + i][x] = d < K && col + x < N ? B[d * ldb + col + x] : 0.0f;
            }
            block.sync();
            for (int d = 0; d < T; d++) {
                for (int i = 0; i < each; i++) {
                    sums[i] += a[y + i][d] * b[d][x];
                }
            }
            block.sync();
            k += T;
        }
        for (int i = 0; i < each; i++) {
            if (row + y + i < M && col + x < N) {
                C[(row + y + i) * ldc + col + x] = sums[i];
            }
        }
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    const auto fits = [](int stride, int width) { return stride >= 1 && stride >= width; };
    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    stay<<<128, T * T / each, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
    return cudaGetLastError();
}
