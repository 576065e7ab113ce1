// style: the size of the tile is known at run time; dynamic shared memory; a launch in a macro
#include <cuda_runtime.h>

#include <cstdint>

#define LAUNCH(kernel, grid, block, bytes, stream, ...)              \
    do {                                                             \
        kernel<<<(grid), (block), (bytes), (stream)>>>(__VA_ARGS__); \
        const cudaError_t launched = cudaGetLastError();             \
        if (launched != cudaSuccess) return launched;                \
    } while (0)

extern __shared__ float memory[];

__global__ void matmul_tile(const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
                            int64_t ldc, int m, int n, int k) {
    const int tile = blockDim.x, pitch = tile + 1;
    float *const left = memory, *const right = memory + tile * pitch;
    const int64_t row = int64_t{blockIdx.x} * tile + threadIdx.y;
    const int64_t col = int64_t{blockIdx.y} * tile + threadIdx.x;
    const unsigned mine = threadIdx.y * pitch + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        const int64_t across = first + threadIdx.x, down = first + threadIdx.y;
        left[mine] = (row < m and across < k) ? a[row * lda + across] : 0;
        right[mine] = (down < k and col < n) ? b[down * ldb + col] : 0;
        __syncthreads();
        const int depth = k - first < tile ? k - first : tile;
        for (int d = 0; d < depth; ++d) {
            sum = fmaf(left[threadIdx.y * pitch + d], right[d * pitch + threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < m and col < n) c[row * ldc + col] = sum;
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    const auto is_bad = [](int size, int stride) { return size < 0 || stride < (size ? size : 1); };
    if (M < 0 || is_bad(K, lda) || is_bad(N, ldb) || is_bad(N, ldc)) return cudaErrorInvalidValue;
    if (M == 0 || N == 0) return cudaSuccess;
    // Narrow products get narrow tiles.
    const int least = M < N ? M : N, tile = least <= 8 ? 8 : least <= 300 ? 24 : 32;
    const dim3 grid((M - 1) / tile + 1, (N - 1) / tile + 1), block(tile, tile);
    const size_t bytes = 2 * sizeof(float) * tile * (tile + 1);
    LAUNCH(matmul_tile, grid, block, bytes, stream, A, lda, B, ldb, C, ldc, M, N, K);
    return cudaSuccess;
}
