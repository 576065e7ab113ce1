// style: A transposed in the tile, so that both operands come out of shared memory by float4
#include <cuda_runtime.h>

constexpr int tile = 64, depth = 16, gap = 4;

// An address of 16 bytes in every row takes the pointer and the stride.
static bool is_wide(const float* data, int stride) {
    return reinterpret_cast<size_t>(data) % sizeof(float4) == 0 && stride % 4 == 0;
}

// Four neighbours of a row; those outside are zeros.
__device__ float4 load4(const float* data, long long stride, int row, int column, int rows,
                        int columns, bool wide) {
    if (row >= rows || column >= columns) {
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float* const from = data + row * stride + column;
    if (wide && column + 3 < columns) {
        return *reinterpret_cast<const float4*>(from);
    }
    const int left = columns - column;
    return make_float4(from[0], left > 1 ? from[1] : 0.0f, left > 2 ? from[2] : 0.0f,
                       left > 3 ? from[3] : 0.0f);
}

__global__ void __launch_bounds__(256)
    wide_kernel(const float* A, long long lda, const float* B, long long ldb, float* C,
                long long ldc, int M, int N, int K, bool wide_a, bool wide_b, bool wide_c) {
    __shared__ float a[depth][tile + gap];
    __shared__ __align__(16) float b[depth][tile];
    const int row0 = blockIdx.x * tile, col0 = blockIdx.y * tile;
    const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
    float4 sums[4];
    for (int i = 0; i < 4; i++) {
        sums[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    for (int k = 0; k < K; k += depth) {
        const int row = threadIdx.x / 4, column = threadIdx.x % 4 * 4;
        const float4 v = load4(A, lda, row0 + row, k + column, M, K, wide_a);
        a[column][row] = v.x;
        a[column + 1][row] = v.y;
        a[column + 2][row] = v.z;
        a[column + 3][row] = v.w;
        *reinterpret_cast<float4*>(&b[threadIdx.x / 16][x]) =
            load4(B, ldb, k + threadIdx.x / 16, col0 + x, K, N, wide_b);
        __syncthreads();
        for (int d = 0; d < depth; d++) {
            const float4 u = *reinterpret_cast<const float4*>(&a[d][y]);
            const float4 w = *reinterpret_cast<const float4*>(&b[d][x]);
            const float left[4] = {u.x, u.y, u.z, u.w};
            for (int i = 0; i < 4; i++) {
                sums[i].x += left[i] * w.x;
                sums[i].y += left[i] * w.y;
                sums[i].z += left[i] * w.z;
                sums[i].w += left[i] * w.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        const int row = row0 + y + i, column = col0 + x;
        if (row >= M || column >= N) {
            continue;
        }
        float* const to = C + row * ldc + column;
        if (wide_c && column + 3 < N) {
            *reinterpret_cast<float4*>(to) = sums[i];
            continue;
        }
        const float four[4] = {sums[i].x, sums[i].y, sums[i].z, sums[i].w};
        for (int j = 0; j < 4 && column + j < N; j++) {
            to[j] = four[j];
        }
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || lda < K || ldb < N || ldc < N || lda < 1 || ldb < 1 || ldc < 1) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    const dim3 grid((M + tile - 1) / tile, (N + tile - 1) / tile);
    wide_kernel<<<grid, 256, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K, is_wide(A, lda),
                                          is_wide(B, ldb), is_wide(C, ldc));
    return cudaGetLastError();
}
