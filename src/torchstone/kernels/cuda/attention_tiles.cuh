// Matrix tiles in shared memory, and the two products of attention.
//
// The threads of a block form rows of sixteen, two per warp. Of a product of two tiles, a thread
// computes a few adjacent rows and every sixteenth column. The rows of a product therefore belong
// to a single warp: communication about them needs no block barrier.
//
// Source: Dao, "FlashAttention-2", 2023, section 3.3: queries, not keys, are split between warps.
#pragma once

#include <cmath>

#include "rows.cuh"

namespace torchstone::cuda {

// Tile sizes for vectors of up to head_dim elements, a power of two from 32 to 256.
template <typename Number_, int head_dim_>
struct Sizes {
    using Number = Number_;
    static constexpr int head_dim = head_dim_;
    static constexpr int row_bytes = head_dim * static_cast<int>(sizeof(Number));
    // Smaller for long vectors, to fit into shared memory and registers.
    static constexpr bool is_long = row_bytes > 512;
    static constexpr int across = 16;
    static constexpr int num_threads = row_bytes > 256 ? 128 : 256;
    static constexpr int rows_of_thread = is_long ? 2 : 4;
    static constexpr int columns_of_thread = is_long ? 1 : 2;
    static constexpr int num_rows = num_threads / across * rows_of_thread;
    static constexpr int num_columns = across * columns_of_thread;

    // Elements per 16 bytes. A tile row is padded by as much: then the same pack of eight rows,
    // which shared memory delivers at once, is spread over all 32 banks.
    static constexpr int per_pack = 16 / static_cast<int>(sizeof(Number));
    static constexpr int stride = head_dim + per_pack;
    // Weights are written element by element, by two rows of threads at once: these are 16 banks
    // apart.
    static constexpr int weight_stride = num_columns + 16 / rows_of_thread;

    static constexpr int row_tile = num_rows * stride, column_tile = num_columns * stride;
    static constexpr int weight_tile = num_rows * weight_stride;

    __device__ static int thread_column() { return threadIdx.x % across; }
    __device__ static int first_row() { return threadIdx.x / across * rows_of_thread; }
    // Offset of a row's first element in the tile of weights.
    __device__ static int weights_of(int row) { return (first_row() + row) * weight_stride; }
    // Column of the product, from the column of the thread.
    __device__ static int column(int of_thread) { return of_thread * across + thread_column(); }
};

// Elements of a product of tiles computed by one thread.
template <typename Sizes>
using Scores = typename Sizes::Number[Sizes::rows_of_thread][Sizes::columns_of_thread];

// The following functions are inlined, so that their array arguments stay in registers.

// Loads elements with one instruction.
template <typename Number, int count>
__device__ __forceinline__ void load_pack(const Number* from, Number (&to)[count]) {
    const auto pack = *reinterpret_cast<const Pack<Number, count>*>(from);
#pragma unroll
    for (int i = 0; i < count; i++) {
        to[i] = pack.values[i];
    }
}

template <typename Sizes, int num_rows, int per_pack, typename T>
__device__ __forceinline__ void load_packs(typename Sizes::Number* tile, const T* from,
                                           int64_t stride, int num_valid, int head_dim) {
    constexpr int num_packs = Sizes::head_dim / per_pack;
    for (int pack = threadIdx.x; pack < num_rows * num_packs; pack += Sizes::num_threads) {
        const int row = pack / num_packs, column = pack % num_packs * per_pack;
        Pack<typename Sizes::Number, per_pack> wide{};
        if (row < num_valid && column < head_dim) {
            T loaded[per_pack];
            load_pack(from + row * stride + column, loaded);
#pragma unroll
            for (int i = 0; i < per_pack; i++) {
                wide.values[i] = widen(loaded[i]);
            }
        }
        *reinterpret_cast<Pack<typename Sizes::Number, per_pack>*>(
            tile + row * Sizes::stride + column) = wide;
    }
}

// Fills a tile with rows of a matrix, converted once. Padding is 0: rows from num_valid on, and
// columns from head_dim on. Adjacent threads load adjacent elements.
template <typename Sizes, int num_rows, typename T>
__device__ __forceinline__ void load_tile(typename Sizes::Number* tile, const T* from,
                                          int64_t stride, int num_valid, int head_dim,
                                          bool is_aligned) {
    if (is_aligned) {
        load_packs<Sizes, num_rows, Sizes::per_pack>(tile, from, stride, num_valid, head_dim);
    } else {
        load_packs<Sizes, num_rows, 1>(tile, from, stride, num_valid, head_dim);
    }
}

// The product of a tile's rows with the rows of another tile, which are its columns: as many scores
// at once as registers allow. Each loaded pack is used for several of them.
template <typename Sizes>
__device__ __forceinline__ void multiply(const typename Sizes::Number* rows,
                                         const typename Sizes::Number* columns, int head_dim,
                                         Scores<Sizes>& scores) {
    using Number = typename Sizes::Number;
    rows += Sizes::first_row() * Sizes::stride;
    columns += Sizes::thread_column() * Sizes::stride;
#pragma unroll
    for (int i = 0; i < Sizes::rows_of_thread; i++) {
#pragma unroll
        for (int j = 0; j < Sizes::columns_of_thread; j++) {
            scores[i][j] = 0;
        }
    }
#pragma unroll 4
    for (int d = 0; d < head_dim; d += Sizes::per_pack) {
        Number row[Sizes::rows_of_thread][Sizes::per_pack], column[Sizes::per_pack];
#pragma unroll
        for (int i = 0; i < Sizes::rows_of_thread; i++) {
            load_pack(rows + i * Sizes::stride + d, row[i]);
        }
#pragma unroll
        for (int j = 0; j < Sizes::columns_of_thread; j++) {
            load_pack(columns + j * Sizes::across * Sizes::stride + d, column);
#pragma unroll
            for (int i = 0; i < Sizes::rows_of_thread; i++) {
#pragma unroll
                for (int k = 0; k < Sizes::per_pack; k++) {
                    scores[i][j] += row[i][k] * column[k];
                }
            }
        }
    }
}

// A thread's part of the result rows, in registers: packs t, t + 16 and so on of each row, where t
// is the column of the thread.
template <typename Sizes>
struct Sums {
    using Number = typename Sizes::Number;
    static constexpr int share = Sizes::head_dim / Sizes::across;
    static constexpr int per_pack = share < Sizes::per_pack ? share : Sizes::per_pack;
    static constexpr int num_packs = share / per_pack;
    Number values[Sizes::rows_of_thread][num_packs][per_pack];

    __device__ static int column(int pack) {
        return (pack * Sizes::across + Sizes::thread_column()) * per_pack;
    }

    // Adds the product of a tile of weights and the rows of a tile.
    __device__ __forceinline__ void add_product(const Number* weights, const Number* tile) {
#pragma unroll 2
        for (int n = 0; n < Sizes::num_columns; n += Sizes::per_pack) {
            Number weight[Sizes::rows_of_thread][Sizes::per_pack], pack[per_pack];
#pragma unroll
            for (int i = 0; i < Sizes::rows_of_thread; i++) {
                load_pack(weights + Sizes::weights_of(i) + n, weight[i]);
            }
#pragma unroll
            for (int k = 0; k < Sizes::per_pack; k++) {
#pragma unroll
                for (int p = 0; p < num_packs; p++) {
                    load_pack(tile + (n + k) * Sizes::stride + column(p), pack);
#pragma unroll
                    for (int i = 0; i < Sizes::rows_of_thread; i++) {
#pragma unroll
                        for (int q = 0; q < per_pack; q++) {
                            values[i][p][q] += weight[i][k] * pack[q];
                        }
                    }
                }
            }
        }
    }

    __device__ __forceinline__ void scale(int row, Number factor) {
#pragma unroll
        for (int p = 0; p < num_packs; p++) {
#pragma unroll
            for (int q = 0; q < per_pack; q++) {
                values[row][p][q] *= factor;
            }
        }
    }

    // Writes the first num_valid rows of the result.
    template <typename T>
    __device__ __forceinline__ void store(T* to, int64_t stride, int num_valid, int head_dim,
                                          bool is_aligned) const {
#pragma unroll
        for (int i = 0; i < Sizes::rows_of_thread; i++) {
            const int row = Sizes::first_row() + i;
#pragma unroll
            for (int p = 0; p < num_packs; p++) {
                T* const at = to + row * stride + column(p);
                Pack<T, per_pack> pack;
#pragma unroll
                for (int q = 0; q < per_pack; q++) {
                    pack.values[q] = narrow<T>(values[i][p][q]);
                }
                if (is_aligned && row < num_valid && column(p) < head_dim) {
                    *reinterpret_cast<Pack<T, per_pack>*>(at) = pack;
                } else if (row < num_valid) {
#pragma unroll
                    for (int q = 0; q < per_pack; q++) {
                        if (column(p) + q < head_dim) at[q] = pack.values[q];
                    }
                }
            }
        }
    }
};

// Maximum and sum over a row of threads; each thread gets the result.
template <typename Sizes>
__device__ typename Sizes::Number max_over_row(typename Sizes::Number x) {
    for (int offset = Sizes::across / 2; offset > 0; offset /= 2) {
        x = fmax(x, __shfl_xor_sync(full_warp, x, offset));
    }
    return x;
}
template <typename Sizes>
__device__ typename Sizes::Number sum_over_row(typename Sizes::Number x) {
    for (int offset = Sizes::across / 2; offset > 0; offset /= 2) {
        x += __shfl_xor_sync(full_warp, x, offset);
    }
    return x;
}

}  // namespace torchstone::cuda
