// AdamW step over contiguous elements: everything is read and written once.
//
// Source: Loshchilov, Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2.
#pragma once

#include "functions.h"
#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

template <typename V>
inline V square_root(V x) {
    for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(x[0])); i++) {
        if constexpr (sizeof(x[0]) == 4) {
            x[i] = __builtin_sqrtf(x[i]);
        } else {
            x[i] = __builtin_sqrt(x[i]);
        }
    }
    return x;
}

template <typename T>
void adamw_range(const AdamW& it, int64_t first, int64_t last) {
    using Number = Compute<T>;
    T* param = static_cast<T*>(it.param) + first;
    const T* grad = static_cast<const T*>(it.grad) + first;
    Number* mean = static_cast<Number*>(it.mean) + first;
    Number* square = static_cast<Number*>(it.square) + first;
    const Number keep_mean = static_cast<Number>(it.beta1);
    const Number keep_square = static_cast<Number>(it.beta2);
    const Number add_mean = static_cast<Number>(1 - it.beta1);
    const Number add_square = static_cast<Number>(1 - it.beta2);
    const Number kept = static_cast<Number>(1 - it.lr * it.weight_decay);
    const Number step = static_cast<Number>(it.lr / it.correction1);
    const Number scale = static_cast<Number>(1 / __builtin_sqrt(it.correction2));
    const Number eps = static_cast<Number>(it.eps);
    walk<T>(last - first, [&](int64_t i, auto load, auto store) {
        const auto g = load(grad + i);
        const auto m = load(mean + i) * keep_mean + g * add_mean;
        const auto v = load(square + i) * keep_square + g * g * add_square;
        store(mean + i, m);
        store(square + i, v);
        const auto change = m / (square_root(v) * scale + eps);
        store(param + i, load(param + i) * kept - change * step);
    });
}

}  // namespace torchstone::KERNELS_ISA
