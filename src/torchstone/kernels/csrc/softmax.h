// Softmax over the rows of a matrix, forward and backward.
#pragma once

#include "functions.h"
#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

template <typename T>
inline Compute<T> largest_of(const T* row, int64_t width) {
    using V = Vec<Compute<T>>;
    constexpr int N = num_lanes<T>;
    const V lowest = all<V>(-__builtin_inff());
    V best[2] = {lowest, lowest};
    int64_t i = 0;
    for (; i + 2 * N <= width; i += 2 * N) {
        best[0] = larger(best[0], load(row + i));
        best[1] = larger(best[1], load(row + i + N));
    }
    for (; i + N <= width; i += N) {
        best[0] = larger(best[0], load(row + i));
    }
    best[0] = larger(best[0], best[1]);
    Compute<T> result = largest_lane(best[0]);
    for (; i < width; i++) {
        const Compute<T> last = load_some(row + i, 1)[0];
        result = result < last ? last : result;
    }
    return result;
}

// y = exp(x - m) / sum of exp(x - m), where m is the maximum: no exponential overflows. Each one is
// computed once, and stays in the cache until the sum is known.
template <typename T, bool streams>
void softmax_rows(const Softmax& it, int64_t first, int64_t last, Compute<T>* waiting) {
    using Number = Compute<T>;
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.input) + r * it.width;
        const Number largest = largest_of(row, it.width);
        map_row<false>(waiting, it.width, [&](int64_t i, auto load) {
            return exponential(load(row + i) - largest);
        });
        const Number scale = 1 / sum_over(waiting, it.width, [](auto e) { return e; });
        map_row<streams>(static_cast<T*>(it.out) + r * it.width, it.width,
                         [&](int64_t i, auto load) {
                             fetch_line(row + it.width, i);
                             return load(waiting + i) * scale;
                         });
    }
    if constexpr (streams) {
        end_streams();
    }
}

// grad_input = y (grad - sum of grad y)
template <typename T, bool streams>
void softmax_backward_rows(const SoftmaxBackward& it, int64_t first, int64_t last) {
    for (int64_t r = first; r < last; r++) {
        const T* grad = static_cast<const T*>(it.grad) + r * it.width;
        const T* out = static_cast<const T*>(it.out) + r * it.width;
        Vec<Compute<T>> products = {};
        walk<T>(it.width, [&](int64_t i, auto load, auto) {
            products += load(grad + i) * load(out + i);
        });
        const Compute<T> along = sum(products);
        map_row<streams>(static_cast<T*>(it.grad_input) + r * it.width, it.width,
                         [&](int64_t i, auto load) {
                             return load(out + i) * (load(grad + i) - along);
                         });
    }
    if constexpr (streams) {
        end_streams();
    }
}

}  // namespace torchstone::KERNELS_ISA
