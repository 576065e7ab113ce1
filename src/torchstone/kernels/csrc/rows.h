// Loops over a row of a matrix: whole vectors, then the remaining lanes.
#pragma once

#include "lanes.h"

namespace torchstone::KERNELS_ISA {

// Prefetches a line of 64 bytes into the L2 cache: once, if it contains several vectors.
template <typename T>
inline void fetch_line(const T* row, int64_t i) {
    constexpr int64_t line = 64 / sizeof(T);
    if (num_bytes == 64 || i % line == 0) {
        __builtin_prefetch(row + i, 0, 2);
    }
}

// Sums value(x) over a row, in four accumulators to hide the latency of additions.
template <typename T, typename Value>
inline Compute<T> sum_over(const T* row, int64_t width, Value value) {
    constexpr int N = num_lanes<T>;
    Vec<Compute<T>> sums[4] = {};
    int64_t i = 0;
    for (; i + 4 * N <= width; i += 4 * N) {
        for (int k = 0; k < 4; k++) {
            sums[k] += value(load(row + i + k * N));
        }
    }
    for (; i + N <= width; i += N) {
        sums[0] += value(load(row + i));
    }
    if (i < width) {
        sums[1] += only_first(value(load_some(row + i, width - i)), width - i);
    }
    return sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// Calls step(i, load, store) for each vector at i, and finally for the remaining lanes. Both
// functions take an address; `store` also takes the lanes.
template <typename T, bool streams = false, typename Step>
inline void walk(int64_t width, Step step) {
    constexpr int N = num_lanes<T>;
    int64_t i = 0;
    for (; i + N <= width; i += N) {
        step(i, [](const auto* from) { return load(from); },
             [](auto* to, auto lanes) {
                 if constexpr (streams) {
                     stream(to, lanes);
                 } else {
                     store(to, lanes);
                 }
             });
    }
    if (const int64_t left = width - i; left > 0) {
        step(i, [left](const auto* from) { return load_some(from, left); },
             [left](auto* to, auto lanes) { store_some(to, lanes, left); });
    }
}

// Writes value(i, load) to a row.
template <bool streams, typename T, typename Value>
inline void map_row(T* out, int64_t width, Value value) {
    walk<T, streams>(
        width, [&](int64_t i, auto load, auto store) { store(out + i, value(i, load)); });
}

}  // namespace torchstone::KERNELS_ISA
