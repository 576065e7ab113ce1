// LayerNorm and RMSNorm over the rows of a matrix, optionally of a sum of two, forward and
// backward.
//
// Sources: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation 3; Zhang, Sennrich, "Root Mean
// Square Layer Normalization", 2019, equation 4, which omits the mean.
#pragma once

#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

template <typename Number>
struct Statistics {
    Number mean, rstd;
};

// Mean of a part of a row, per lane or total, and the sum of squared deviations from it.
template <typename V, typename Number>
struct Moments {
    Number count = 0;
    V mean = {}, squares = {};

    // Merges the moments of another part.
    //
    // Source: Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing
    // Sample Variances", 1979, equations 2.1.
    void join(Number other_count, V other_mean, V other_squares) {
        const Number both = count + other_count;
        const V apart = other_mean - mean;
        mean += apart * (other_count / both);
        squares += other_squares + apart * apart * (count * other_count / both);
        count = both;
    }
};

// One pass. The first vector of the row is subtracted before summation, so that a large mean does
// not cancel digits; each group of eight vectors gets a mean of its own, in registers, before
// squares are computed.
template <typename T>
inline Moments<Compute<T>, Compute<T>> moments_of(const T* row, int64_t width) {
    using Number = Compute<T>;
    using V = Vec<Number>;
    constexpr int N = num_lanes<T>, block = 8;
    const V origins = width >= N ? load(row) : V{};
    Moments<V, Number> lanes;
    int64_t i = 0;
    for (; i + block * N <= width; i += block * N) {
        V x[block], squares[2] = {};
#pragma GCC unroll 8
        for (int k = 0; k < block; k++) {
            x[k] = load(row + i + k * N) - origins;
        }
        const V sum = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
        const V mean = sum * (Number{1} / block);
#pragma GCC unroll 8
        for (int k = 0; k < block; k++) {
            squares[k % 2] += (x[k] - mean) * (x[k] - mean);
        }
        lanes.join(block, mean, squares[0] + squares[1]);
    }
    for (; i + N <= width; i += N) {
        lanes.join(1, load(row + i) - origins, V{});
    }
    const Number origin = i > 0 ? sum(origins) / N : load_some(row, 1)[0];
    Moments<Number, Number> all;
    if (i > 0) {
        const V means = (origins - origin) + lanes.mean;
        const Number mean = sum(means) / N;
        const V apart = means - mean;
        all = {static_cast<Number>(i), mean, sum(lanes.squares + apart * apart * lanes.count)};
    }
    if (const int64_t left = width - i; left > 0) {
        const V x = only_first(load_some(row + i, left) - origin, left);
        const Number mean = sum(x) / left;
        const V apart = only_first(x - mean, left);
        all.join(static_cast<Number>(left), mean, sum(apart * apart));
    }
    all.mean += origin;
    return all;
}

template <bool has_mean, typename T>
inline Statistics<Compute<T>> statistics_of(const T* row, int64_t width, double eps) {
    using Number = Compute<T>;
    Number mean = 0, squares;
    if constexpr (has_mean) {
        const auto moments = moments_of(row, width);
        mean = moments.mean, squares = moments.squares;
    } else {
        squares = sum_over(row, width, [](auto x) { return x * x; });
    }
    const Number variance = squares / width;
    if constexpr (std::is_same_v<Number, float>) {
        // Beyond 1e19, and without an eps below 1e-19, squares leave the range of float. Finite
        // inputs must give finite results, so these rows are computed in double.
        const bool is_in_range = variance <= 3e38f && variance + eps > 1e-30;
        if (__builtin_expect(!is_in_range, 0)) {
            double sum = 0, squares = 0;
            for (int64_t i = 0; has_mean && i < width; i++) {
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

// Normalizes `num_rows` rows together: weight and bias are loaded once for all of them.
template <typename T, bool streams, bool has_mean, int num_rows>
inline void normalise_together(const Norm& it, int64_t first) {
    using Number = Compute<T>;
    const int64_t begin = first * it.width;
    const auto* weight = static_cast<const Number*>(it.weight);
    const auto* bias = static_cast<const Number*>(it.bias);
    const T* rows = static_cast<const T*>(it.input) + begin;
    if (it.residual != nullptr) {
        // The sum is first rounded to its type, so that later reads see the same value.
        const T* residual = static_cast<const T*>(it.residual) + begin;
        T* sum = static_cast<T*>(it.sum) + begin;
        map_row<false>(sum, num_rows * it.width,
                       [&](int64_t i, auto load) { return load(rows + i) + load(residual + i); });
        rows = sum;
    }
    Number mean[num_rows], rstd[num_rows];
    for (int k = 0; k < num_rows; k++) {
        const auto found = statistics_of<has_mean>(rows + k * it.width, it.width, it.eps);
        mean[k] = found.mean, rstd[k] = found.rstd;
        if constexpr (has_mean) {
            static_cast<Number*>(it.mean)[first + k] = mean[k];
        }
        static_cast<Number*>(it.rstd)[first + k] = rstd[k];
    }
    // Prefetches the next rows into the L2 cache while these rows are in L1, which also holds the
    // parameters.
    const T* next = static_cast<const T*>(it.input) + begin + num_rows * it.width;
    T* out = static_cast<T*>(it.out) + begin;
    walk<T, streams>(it.width, [&](int64_t i, auto load, auto store) {
        const auto w = load(weight + i), b = load(bias + i);
#pragma GCC unroll 4
        for (int k = 0; k < num_rows; k++) {
            fetch_line(next + k * it.width, i);
            const auto x = load(rows + k * it.width + i);
            const auto normalised = (has_mean ? x - mean[k] : x) * rstd[k];
            store(out + k * it.width + i, normalised * w + b);
        }
    });
}

template <typename T, bool streams, bool has_mean>
void normalise_rows(const Norm& it, int64_t first, int64_t last) {
    // If a row and the parameters are much larger than an L1 cache of 32 KiB, the parameters are
    // read from L2 for every row, unless rows share them. For narrower rows sharing is slower,
    // because fewer rows fit into the cache.
    constexpr int64_t bytes = sizeof(T) + 2 * sizeof(Compute<T>), together = 4;
    int64_t r = first;
    if (it.width * bytes >= 48 << 10) {
        for (; r + together <= last; r += together) {
            normalise_together<T, streams, has_mean, together>(it, r);
        }
    }
    for (; r < last; r++) {
        normalise_together<T, streams, has_mean, 1>(it, r);
    }
    if constexpr (streams) {
        end_streams();
    }
}

// Several rows at once: their contributions to the gradients of weight and bias are added in
// registers, and only the sum is written to memory.
//
// With x^ = (x - mean) rstd and h = grad * weight: grad_input = rstd (h - E[h] - x^ E[h x^]),
// grad_weight = sum of grad x^, grad_bias = sum of grad over rows. RMSNorm has no mean and no E[h].
template <typename T, bool streams, bool has_mean, bool has_sums, int num_rows>
inline void backward_of_rows(const NormBackward& it, int64_t first,
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
        mean[k] = has_mean ? static_cast<const Number*>(it.mean)[first + k] : 0;
        rstd[k] = static_cast<const Number*>(it.rstd)[first + k];
    }
    const auto look = [&](int64_t i, auto load, auto store) {
        const V w = load(weight + i);
        V of_weight = {}, of_bias = {};
#pragma GCC unroll 8
        for (int k = 0; k < num_rows; k++) {
            const V g = load(grad + k * width + i);
            const V x = load(input + k * width + i);
            const V normalised = (has_mean ? x - mean[k] : x) * rstd[k];
            const V h = g * w;
            with_input[k] += h * normalised;
            of_weight += g * normalised;
            if constexpr (has_mean) {
                alone[k] += h;
                of_bias += g;
            }
        }
        if constexpr (has_sums) {
            store(grad_weight + i, load(grad_weight + i) + of_weight);
            if constexpr (has_mean) {
                store(grad_bias + i, load(grad_bias + i) + of_bias);
            }
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
        // Lanes beyond the end have h = 0, because grad and weight are 0 there.
        look(i, load_left, [left](auto* to, auto lanes) { store_some(to, lanes, left); });
    }
    // grad_input = rstd h + slope (x - mean) + offset: the factors of a row are computed once.
    Number slope[num_rows], offset[num_rows];
    for (int k = 0; k < num_rows; k++) {
        slope[k] = -rstd[k] * rstd[k] * (sum(with_input[k]) / width);
        offset[k] = -rstd[k] * (sum(alone[k]) / width);
    }
    const T* grad_sum = static_cast<const T*>(it.grad_sum);
    const auto result = [&](int64_t i, int k, auto load) {
        const V h = load(grad + k * width + i) * load(weight + i);
        const V x = load(input + k * width + i);
        V lanes = h * rstd[k] + (has_mean ? (x - mean[k]) * slope[k] + offset[k] : x * slope[k]);
        if (grad_sum != nullptr) {
            lanes += load(grad_sum + (first + k) * width + i);
        }
        return lanes;
    };
    for (i = 0; i + N <= width; i += N) {
#pragma GCC unroll 8
        for (int k = 0; k < num_rows; k++) {
            // Prefetches the next rows while these rows are in the cache.
            fetch_line(grad + (num_rows + k) * width, i);
            fetch_line(input + (num_rows + k) * width, i);
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

template <typename T, bool streams, bool has_mean, bool has_sums>
void backward_of_norm(const NormBackward& it, int64_t first, int64_t last, void* grad_weight,
                      void* grad_bias) {
    // AVX-512 has twice as many registers; sums of four rows would spill with AVX2.
    constexpr int together = num_bytes == 64 ? 4 : 2;
    auto* of_weight = static_cast<Compute<T>*>(grad_weight);
    auto* of_bias = static_cast<Compute<T>*>(grad_bias);
    int64_t r = first;
    for (; r + together <= last; r += together) {
        backward_of_rows<T, streams, has_mean, has_sums, together>(it, r, of_weight, of_bias);
    }
    for (; r < last; r++) {
        backward_of_rows<T, streams, has_mean, has_sums, 1>(it, r, of_weight, of_bias);
    }
    if constexpr (streams) {
        end_streams();
    }
}

}  // namespace torchstone::KERNELS_ISA
