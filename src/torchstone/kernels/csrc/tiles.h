// Products of small matrices that fit into the caches, and the packing of matrices into such tiles.
#pragma once

#include <utility>

#include "lanes.h"

namespace torchstone::KERNELS_ISA {

// Two bfloat16 elements, for an instruction that multiplies two pairs and accumulates.
struct Pair {
    uint32_t both;
};

// The operand of one product step for type T: an element, or a pair if the processor supports it.
template <typename T>
struct CellOf {
    using type = Compute<T>;
};
#if defined(__AVX512BF16__) && defined(__AVX512F__)
template <>
struct CellOf<BFloat16> {
    using type = Pair;
};
#endif
template <typename T>
using Cell = typename CellOf<T>::type;

template <typename C>
constexpr int numbers_in = std::is_same_v<C, Pair> ? 2 : 1;
// The accumulator type of products of cells.
template <typename C>
using Sum = std::conditional_t<std::is_same_v<C, double>, double, float>;

// ---- The product

inline Vec<float> plus_product(Vec<float> sum, float a, const float* b) {
    return sum + a * load(b);
}
inline Vec<double> plus_product(Vec<double> sum, double a, const double* b) {
    return sum + a * load(b);
}
#if defined(__AVX512BF16__) && defined(__AVX512F__)
inline Vec<float> plus_product(Vec<float> sum, Pair a, const Pair* b) {
    const __m512i pairs = _mm512_loadu_si512(b);
    return _mm512_dpbf16_ps(sum, as<__m512bh>(_mm512_set1_epi32(static_cast<int>(a.both))),
                            as<__m512bh>(pairs));
}
#endif

// A matrix of cells read one by one: by row, or, with the strides exchanged, by column.
template <typename C>
struct Cells {
    const C* data;
    int64_t row_step, depth_step;
};

// Rows per register block, with at most the following number of column vectors: 24 accumulators of
// 32 registers, or 12 of 16.
constexpr int row_group = 6;
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_group = 4;
#else
constexpr int vector_group = 2;
#endif

template <bool adds, int num_vectors, typename C>
inline void multiply_group(const Cells<C>& a, const C* b, int64_t b_width, Sum<C>* out,
                           int64_t out_width, int64_t depth) {
    constexpr int N = num_lanes<Sum<C>>;
    Vec<Sum<C>> sums[row_group][num_vectors] = {};
    const C* cells = a.data;
    for (int64_t k = 0; k < depth; k++) {
#pragma GCC unroll 8
        for (int r = 0; r < row_group; r++) {
#pragma GCC unroll 8
            for (int v = 0; v < num_vectors; v++) {
                sums[r][v] = plus_product(sums[r][v], cells[r * a.row_step], b + v * N);
            }
        }
        cells += a.depth_step;
        b += b_width;
    }
#pragma GCC unroll 8
    for (int r = 0; r < row_group; r++) {
#pragma GCC unroll 8
        for (int v = 0; v < num_vectors; v++) {
            Sum<C>* const to = out + r * out_width + v * N;
            store(to, adds ? load(to) + sums[r][v] : sums[r][v]);
        }
    }
}

// out = a b, or out += a b. The number of rows is a multiple of `row_group`, that of columns of a
// vector.
//
// A group of columns of b stays in the L1 cache for all rows.
template <bool adds, typename C>
inline void multiply(const Cells<C>& a, const C* b, int64_t b_width, Sum<C>* out, int64_t out_width,
                     int64_t rows, int64_t columns, int64_t depth) {
    constexpr int N = num_lanes<Sum<C>>;
    for (int64_t n = 0; n < columns; n += vector_group * N) {
        const int64_t num_vectors = (columns - n) / N;
        for (int64_t m = 0; m < rows; m += row_group) {
            const Cells<C> group{a.data + m * a.row_step, a.row_step, a.depth_step};
            Sum<C>* const to = out + m * out_width + n;
            if (num_vectors >= vector_group) {
                multiply_group<adds, vector_group>(group, b + n, b_width, to, out_width, depth);
            } else if (num_vectors == 3) {
                multiply_group<adds, 3>(group, b + n, b_width, to, out_width, depth);
            } else if (num_vectors == 2) {
                multiply_group<adds, 2>(group, b + n, b_width, to, out_width, depth);
            } else {
                multiply_group<adds, 1>(group, b + n, b_width, to, out_width, depth);
            }
        }
    }
}

// ---- Tiles

// Packs rows into cells, `width` elements per row, padded with zeros and with zero rows.
template <typename T>
inline void pack_rows(const T* from, int64_t step, int64_t rows, int64_t row_width, Cell<T>* to,
                      int64_t all_rows, int64_t width) {
    constexpr int N = num_lanes<T>;
    using Stored = std::conditional_t<std::is_same_v<Cell<T>, Pair>, T, Cell<T>>;
    auto* out = reinterpret_cast<Stored*>(to);
    for (int64_t r = 0; r < all_rows; r++, out += width) {
        const T* const row = from + r * step;
        for (int64_t i = 0; i < width; i += N) {
            const int64_t left = r < rows ? row_width - i : 0;
            store(out + i, left >= N ? load(row + i) : left > 0 ? load_some(row + i, left)
                                                                : Vec<Compute<T>>{});
        }
    }
}

// Interleaves lanes of a and b: of their lower or their upper halves.
template <bool is_upper, typename V, int... lane>
inline V in_turns(V a, V b, std::integer_sequence<int, lane...>) {
    constexpr int count = sizeof...(lane), begin = is_upper ? count / 2 : 0;
    return __builtin_shufflevector(a, b, (begin + lane / 2 + lane % 2 * count)...);
}

// Transposes a square of as many vectors as each has lanes. Each round interleaves vectors half the
// square apart; after log2(side) rounds every lane is in place.
template <typename V, int side>
inline void transpose_square(V (&rows)[side]) {
    constexpr std::make_integer_sequence<int, side> lanes;
    for (int round = 1; round < side; round *= 2) {
        V next[side];
#pragma GCC unroll 16
        for (int r = 0; r < side / 2; r++) {
            next[2 * r] = in_turns<false>(rows[r], rows[r + side / 2], lanes);
            next[2 * r + 1] = in_turns<true>(rows[r], rows[r + side / 2], lanes);
        }
#pragma GCC unroll 16
        for (int r = 0; r < side; r++) {
            rows[r] = next[r];
        }
    }
}

// Transposes a matrix of cells; the number of rows is a multiple of a vector's lanes.
template <typename C>
inline void transpose(const C* from, int64_t rows, int64_t columns, C* to, int64_t to_width) {
    using Lane = std::conditional_t<std::is_same_v<C, Pair>, uint32_t, C>;
    typedef Lane V __attribute__((vector_size(num_bytes)));
    constexpr int side = num_bytes / sizeof(C);
    for (int64_t m = 0; m < rows; m += side) {
        int64_t n = 0;
        for (; n + side <= columns; n += side) {
            V square[side];
            for (int r = 0; r < side; r++) {
                __builtin_memcpy(&square[r], from + (m + r) * columns + n, sizeof(V));
            }
            transpose_square(square);
            for (int r = 0; r < side; r++) {
                __builtin_memcpy(to + (n + r) * to_width + m, &square[r], sizeof(V));
            }
        }
        for (; n < columns; n++) {
            for (int r = 0; r < side; r++) {
                to[n * to_width + m + r] = from[(m + r) * columns + n];
            }
        }
    }
}

// Converts rows of horizontal pairs to rows of vertical pairs: the right operand of a product.
// Without pairs these are the rows themselves. A row has `width` elements; only the first `columns`
// are used.
template <typename Number>
inline const Number* stack(const Number* rows, Number*, int64_t, int64_t, int64_t) {
    return rows;
}
inline const Pair* stack(const Pair* rows, Pair* to, int64_t num_rows, int64_t width,
                         int64_t columns) {
    const auto* numbers = reinterpret_cast<const uint16_t*>(rows);
    for (int64_t r = 0; r < num_rows; r += 2) {
        const uint16_t* const upper = numbers + r * width;
        for (int64_t i = 0; i < columns; i++) {
            to[r / 2 * width + i].both = upper[i] | uint32_t{upper[width + i]} << 16;
        }
    }
    return to;
}

}  // namespace torchstone::KERNELS_ISA
