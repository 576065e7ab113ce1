// LayerNorm over the rows of a matrix, forward and backward.
//
// Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation 3.
#pragma once

#include "kernels.h"
#include "lanes.h"

namespace torchstone::TORCHSTONE_ISA {

// Adds value(x) over a row. Four sums, so that no addition has to wait for the one before.
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

template <typename Number>
struct Statistics {
    Number mean, rstd;
};

// Two passes: the second one is over what the first has brought into the cache, and loses nothing
// to a mean that is large beside the deviation.
template <typename T>
inline Statistics<Compute<T>> statistics_of(const T* row, int64_t width, double eps) {
    using Number = Compute<T>;
    const Number mean = sum_over(row, width, [](auto x) { return x; }) / width;
    const Number variance = sum_over(row, width, [mean](auto x) {
        const auto centred = x - mean;
        return centred * centred;
    }) / width;
    if constexpr (std::is_same_v<Number, float>) {
        // Beyond 1e19, and without an eps below 1e-19, squares leave the range of float. Finite
        // inputs give finite results.
        const bool is_in_range = variance <= 3e38f && variance + eps > 1e-30;
        if (__builtin_expect(!is_in_range, 0)) {
            double sum = 0, squares = 0;
            for (int64_t i = 0; i < width; i++) {
                sum += load_some(row + i, 1)[0];
            }
            for (int64_t i = 0; i < width; i++) {
                const double centred = load_some(row + i, 1)[0] - sum / width;
                squares += centred * centred;
            }
            const double rstd = 1 / __builtin_sqrt(squares / width + eps);
            return {static_cast<float>(sum / width), static_cast<float>(rstd)};
        }
    }
    if constexpr (std::is_same_v<Number, float>) {
        return {mean, 1 / __builtin_sqrtf(variance + static_cast<float>(eps))};
    } else {
        return {mean, 1 / __builtin_sqrt(variance + eps)};
    }
}

// Applies value(i, x) to a row and writes it.
template <bool streams, typename T, typename Value>
inline void map_row(T* out, int64_t width, Value value) {
    constexpr int N = num_lanes<T>;
    int64_t i = 0;
    for (; i + N <= width; i += N) {
        const auto lanes = value(i, [](const auto* from) { return load(from); });
        if constexpr (streams) {
            stream(out + i, lanes);
        } else {
            store(out + i, lanes);
        }
    }
    if (const int64_t left = width - i; left > 0) {
        const auto some = [left](const auto* from) { return load_some(from, left); };
        store_some(out + i, value(i, some), left);
    }
}

template <typename T, bool streams>
void normalise_rows(const LayerNorm& it, int64_t first, int64_t last) {
    using Number = Compute<T>;
    const auto* weight = static_cast<const Number*>(it.weight);
    const auto* bias = static_cast<const Number*>(it.bias);
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.input) + r * it.width;
        const auto [mean, rstd] = statistics_of(row, it.width, it.eps);
        static_cast<Number*>(it.mean)[r] = mean;
        static_cast<Number*>(it.rstd)[r] = rstd;
        map_row<streams>(static_cast<T*>(it.out) + r * it.width, it.width,
                         [&, mean = mean, rstd = rstd](int64_t i, auto load) {
                             const auto normalised = (load(row + i) - mean) * rstd;
                             return normalised * load(weight + i) + load(bias + i);
                         });
    }
    if constexpr (streams) {
        end_streams();
    }
}

// Of several rows at once: their contributions to the gradients of weight and bias are added in
// registers, and only the sum goes to memory.
//
// With x^ = (x - mean) rstd and h = grad * weight: grad_input = rstd (h - E[h] - x^ E[h x^]),
// grad_weight = sum of grad x^, grad_bias = sum of grad over rows.
template <typename T, bool streams, bool has_sums, int num_rows>
inline void backward_of_rows(const LayerNormBackward& it, int64_t first,
                             Compute<T>* grad_weight, Compute<T>* grad_bias) {
    using Number = Compute<T>;
    using V = Vec<Number>;
    constexpr int N = num_lanes<T>;
    const int64_t width = it.width;
    const auto* weight = static_cast<const Number*>(it.weight);
    const T* grad = static_cast<const T*>(it.grad) + first * width;
    const T* input = static_cast<const T*>(it.input) + first * width;
    T* grad_input = static_cast<T*>(it.grad_input) + first * width;
    Number mean[num_rows], rstd[num_rows];
    V with_input[num_rows] = {}, alone[num_rows] = {};
    for (int k = 0; k < num_rows; k++) {
        mean[k] = static_cast<const Number*>(it.mean)[first + k];
        rstd[k] = static_cast<const Number*>(it.rstd)[first + k];
    }
    const auto look = [&](int64_t i, auto load, auto store) {
        const V w = load(weight + i);
        V of_weight = {}, of_bias = {};
#pragma GCC unroll 8
        for (int k = 0; k < num_rows; k++) {
            const V g = load(grad + k * width + i);
            const V normalised = (load(input + k * width + i) - mean[k]) * rstd[k];
            const V h = g * w;
            with_input[k] += h * normalised;
            alone[k] += h;
            of_weight += g * normalised;
            of_bias += g;
        }
        if constexpr (has_sums) {
            store(grad_weight + i, load(grad_weight + i) + of_weight);
            store(grad_bias + i, load(grad_bias + i) + of_bias);
        }
    };
    const auto load_all = [](const auto* from) { return load(from); };
    const auto store_all = [](auto* to, auto lanes) { store(to, lanes); };
    int64_t i = 0;
    for (; i + N <= width; i += N) {
        look(i, load_all, store_all);
    }
    const int64_t left = width - i;
    const auto load_left = [left](const auto* from) { return load_some(from, left); };
    if (left > 0) {
        // Lanes behind the end have h = 0, for grad and weight are 0 there.
        look(i, load_left, [left](auto* to, auto lanes) { store_some(to, lanes, left); });
    }
    // grad_input = rstd h + slope (x - mean) + offset: what is the same for a row is taken together.
    Number slope[num_rows], offset[num_rows];
    for (int k = 0; k < num_rows; k++) {
        slope[k] = -rstd[k] * rstd[k] * (sum(with_input[k]) / width);
        offset[k] = -rstd[k] * (sum(alone[k]) / width);
    }
    const auto result = [&](int64_t i, int k, auto load) {
        const V h = load(grad + k * width + i) * load(weight + i);
        const V centred = load(input + k * width + i) - mean[k];
        return h * rstd[k] + (centred * slope[k] + offset[k]);
    };
    for (i = 0; i + N <= width; i += N) {
#pragma GCC unroll 8
        for (int k = 0; k < num_rows; k++) {
            const V lanes = result(i, k, load_all);
            if constexpr (streams) {
                stream(grad_input + k * width + i, lanes);
            } else {
                store(grad_input + k * width + i, lanes);
            }
        }
    }
    for (int k = 0; left > 0 && k < num_rows; k++) {
        store_some(grad_input + k * width + i, result(i, k, load_left), left);
    }
}

template <typename T, bool streams, bool has_sums>
void backward(const LayerNormBackward& it, int64_t first, int64_t last, void* grad_weight,
              void* grad_bias) {
    constexpr int together = 4;
    auto* of_weight = static_cast<Compute<T>*>(grad_weight);
    auto* of_bias = static_cast<Compute<T>*>(grad_bias);
    int64_t r = first;
    for (; r + together <= last; r += together) {
        backward_of_rows<T, streams, has_sums, together>(it, r, of_weight, of_bias);
    }
    for (; r < last; r++) {
        backward_of_rows<T, streams, has_sums, 1>(it, r, of_weight, of_bias);
    }
    if constexpr (streams) {
        end_streams();
    }
}

}  // namespace torchstone::TORCHSTONE_ISA
