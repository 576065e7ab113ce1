// style: several blocks share one tile of C, each takes a part of K and adds by atomics
#include <cuda_runtime.h>

constexpr int T = 32, rows_each = 4, num_parts = 3;

__global__ void zero(float* C, long long ldc, int M, int N) {
    const long long size = static_cast<long long>(M) * N;
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < size; i += gridDim.x * 256LL) {
        C[i / N * ldc + i % N] = 0.0f;
    }
}

__global__ void add_part(const float* A, long long lda, const float* B, long long ldb, float* C,
                         long long ldc, int M, int N, int K, int part) {
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.x * T, col = blockIdx.y * T + x;
    const int first = blockIdx.z * part, last = first + part < K ? first + part : K;
    float sums[rows_each] = {};
    for (int k = first; k < last; k += T) {
        for (int r = y; r < T; r += blockDim.y) {
            a[r][x] = row + r < M && k + x < last ? A[(row + r) * lda + k + x] : 0.0f;
            b[r][x] = k + r < last && col < N ? B[(k + r) * ldb + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < T; i++) {
            for (int r = 0; r < rows_each; r++) {
                sums[r] += a[y + r * 8][i] * b[i][x];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < rows_each; r++) {
        const int to = row + y + r * 8;
        if (to < M && col < N) {
            atomicAdd(&C[to * ldc + col], sums[r]);
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
    zero<<<16, 256, 0, stream>>>(C, ldc, M, N);
    if (K > 0) {
        const int num_tiles = (K + T - 1) / T, part = (num_tiles + num_parts - 1) / num_parts * T;
        const dim3 grid((M + T - 1) / T, (N + T - 1) / T, (K + part - 1) / part);
        add_part<<<grid, dim3(T, 8), 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K, part);
    }
    return cudaGetLastError();
}
