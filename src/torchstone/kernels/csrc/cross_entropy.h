// Cross-entropy of rows of logits, without an intermediate matrix of probabilities.
#pragma once

#include "functions.h"
#include "kernels.h"
#include "rows.h"
#include "softmax.h"

namespace torchstone::KERNELS_ISA {

// loss = log sum exp(x) - (1 - s) x[target] - s mean(x), where s is the label smoothing.
template <typename T>
void cross_entropy_rows(const CrossEntropy& it, int64_t first, int64_t last) {
    using Number = Compute<T>;
    const Number smoothing = static_cast<Number>(it.smoothing);
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.logits) + r * it.width;
        const Number largest = largest_of(row, it.width);
        const Number total =
            sum_over(row, it.width, [&](auto x) { return exponential(x - largest); });
        // Stored separately: added to a large maximum, the logarithm would lose its digits.
        const Number log_sum = static_cast<Number>(__builtin_log(total));
        static_cast<Number*>(it.statistics)[2 * r] = largest;
        static_cast<Number*>(it.statistics)[2 * r + 1] = log_sum;
        const int64_t target = it.targets[r];
        Number loss = 0;
        if (target != it.ignored) {
            loss = log_sum - (1 - smoothing) * (load_some(row + target, 1)[0] - largest);
            if (smoothing != 0) {
                const Number sum = sum_over(row, it.width, [&](auto x) { return x - largest; });
                loss -= smoothing * (sum / it.width);
            }
        }
        static_cast<Number*>(it.losses)[r] = loss;
    }
}

// grad_logits = grad (softmax - (1 - s) [target] - s / width)
template <typename T, bool streams>
void cross_entropy_backward_rows(const CrossEntropy& it, int64_t first, int64_t last) {
    using Number = Compute<T>;
    const Number smoothing = static_cast<Number>(it.smoothing);
    const Number everywhere = smoothing / it.width;
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.logits) + r * it.width;
        T* out = static_cast<T*>(it.grad_logits) + r * it.width;
        const int64_t target = it.targets[r];
        const Number grad = target == it.ignored ? 0 : static_cast<const Number*>(it.losses)[r];
        if (grad == 0) {
            map_row<streams>(out, it.width, [](int64_t, auto) { return Vec<Number>{}; });
            continue;
        }
        const Number largest = static_cast<const Number*>(it.statistics)[2 * r];
        const Number log_sum = static_cast<const Number*>(it.statistics)[2 * r + 1];
        map_row<streams>(out, it.width, [&](int64_t i, auto load) {
            return (exponential(load(row + i) - largest - log_sum) - everywhere) * grad;
        });
        const Number own = static_cast<Number>(
            exponential(Vec<Number>{} + (load_some(row + target, 1)[0] - largest - log_sum))[0]);
        store_some(out + target, Vec<Number>{} + (own - everywhere - (1 - smoothing)) * grad, 1);
    }
    if constexpr (streams) {
        end_streams();
    }
}

}  // namespace torchstone::KERNELS_ISA
