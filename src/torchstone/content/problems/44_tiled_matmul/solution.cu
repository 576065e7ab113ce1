#include <cuda_runtime.h>

namespace {

// A block computes a square of C, and each of its threads 4 x 4 elements of it, `side` apart.
constexpr int tile = 64, depth = 8, side = 16;
constexpr int per_thread = tile / side, num_threads = side * side;
constexpr int loads = tile * depth / num_threads;
// A is stored transposed: the eight elements of a row would share four banks without a gap.
constexpr int gap = 4;

struct Matrix {
    const float* data;
    long long stride;
    int rows, columns;

    // Outside there are zeros: what is multiplied with them there is zero as well.
    __device__ float at(int row, int column) const {
        return row < rows && column < columns ? data[row * stride + column] : 0.0f;
    }
};

struct Tiles {
    float a[depth][tile + gap], b[depth][tile];
};

// What a thread has fetched of the next tiles, before there is room for it.
struct Fetched {
    float a[loads], b[loads];

    __device__ void fetch(const Matrix& A, const Matrix& B, int row, int column, int k) {
        for (int i = 0; i < loads; i++) {
            const int place = threadIdx.x + i * num_threads;
            a[i] = A.at(row + place / depth, k + place % depth);
            b[i] = B.at(k + place / tile, column + place % tile);
        }
    }
    __device__ void put_into(Tiles& tiles) const {
        for (int i = 0; i < loads; i++) {
            const int place = threadIdx.x + i * num_threads;
            tiles.a[place % depth][place / depth] = a[i];
            tiles.b[place / tile][place % tile] = b[i];
        }
    }
};

__global__ void __launch_bounds__(num_threads)
    matmul_kernel(Matrix A, Matrix B, float* C, long long ldc, int tiles_across) {
    __shared__ Tiles tiles[2];
    // All tiles are on grid.x: grid.y ends at 65535.
    const int row = static_cast<int>(blockIdx.x / tiles_across) * tile;
    const int column = static_cast<int>(blockIdx.x % tiles_across) * tile;
    const int x = threadIdx.x % side, y = threadIdx.x / side;
    float sums[per_thread][per_thread] = {};
    Fetched next;
    next.fetch(A, B, row, column, 0);
    next.put_into(tiles[0]);
    __syncthreads();
    int now = 0;
    for (int k = 0; k < A.columns; k += depth) {
        const bool is_last = k + depth >= A.columns;
        if (!is_last) {
            next.fetch(A, B, row, column, k + depth);
        }
        for (int d = 0; d < depth; d++) {
            float a[per_thread], b[per_thread];
            for (int i = 0; i < per_thread; i++) {
                a[i] = tiles[now].a[d][y + i * side];
                b[i] = tiles[now].b[d][x + i * side];
            }
            for (int i = 0; i < per_thread; i++) {
                for (int j = 0; j < per_thread; j++) {
                    sums[i][j] += a[i] * b[j];
                }
            }
        }
        if (!is_last) {
            // Nobody reads the other buffer: all who did are past the last barrier.
            now ^= 1;
            next.put_into(tiles[now]);
            __syncthreads();
        }
    }
    for (int i = 0; i < per_thread; i++) {
        for (int j = 0; j < per_thread; j++) {
            const int to_row = row + y + i * side, to_column = column + x + j * side;
            if (to_row < A.rows && to_column < B.columns) {
                C[to_row * ldc + to_column] = sums[i][j];
            }
        }
    }
}

bool fits(int stride, int width) { return stride >= (width > 1 ? width : 1); }
long long tiles_of(int size) { return (static_cast<long long>(size) + tile - 1) / tile; }

}  // namespace

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    if (M < 0 || N < 0 || K < 0 || !fits(lda, K) || !fits(ldb, N) || !fits(ldc, N)) {
        return cudaErrorInvalidValue;
    }
    if (M == 0 || N == 0) {
        return cudaSuccess;
    }
    const int tiles_across = static_cast<int>(tiles_of(N));
    const auto num_blocks = static_cast<unsigned>(tiles_of(M) * tiles_across);
    const Matrix left{A, lda, M, K}, right{B, ldb, K, N};
    matmul_kernel<<<num_blocks, num_threads, 0, stream>>>(left, right, C, ldc, tiles_across);
    return cudaGetLastError();
}
