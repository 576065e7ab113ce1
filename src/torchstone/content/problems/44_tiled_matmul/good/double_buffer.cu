// style: tiles of 16 by 16 in two buffers, one barrier for each tile
#include <cuda_runtime.h>

constexpr int T = 16;

struct Tile {
    float rows[T][T];

    __device__ void load(const float* from, long long stride, int i, int j, int m, int n) {
        float v = 0.0f;
        if (i < m && j < n) v = from[i * stride + j];
        rows[threadIdx.y][threadIdx.x] = v;
    }
};

__global__ void tiles_in_turn(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K) {
    __shared__ Tile left[2], right[2];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.x * T + y, j = blockIdx.y * T + x;
    left[0].load(A, lda, i, x, M, K);
    right[0].load(B, ldb, y, j, K, N);
    float sum = 0.0f;
    for (int k = 0, turn = 0; k < K; k += T, turn ^= 1) {
        __syncthreads();
        // The other buffer was read before this barrier, and is filled behind it.
        if (k + T < K) {
            left[turn ^ 1].load(A, lda, i, k + T + x, M, K);
            right[turn ^ 1].load(B, ldb, k + T + y, j, K, N);
        }
        for (int d = 0; d < T; d++) {
            sum += left[turn].rows[y][d] * right[turn].rows[d][x];
        }
    }
    if (i < M && j < N) {
        C[static_cast<long long>(i) * ldc + j] = sum;
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    const bool fits = lda >= K && lda > 0 && ldb >= N && ldb > 0 && ldc >= N && ldc > 0;
    if (M < 0 || N < 0 || K < 0 || !fits) {
        return cudaErrorInvalidValue;
    }
    if (M > 0 && N > 0) {
        const dim3 grid((M + T - 1) / T, (N + T - 1) / T);
        tiles_in_turn<<<grid, dim3(T, T), 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K);
        return cudaGetLastError();
    }
    return cudaSuccess;
}
