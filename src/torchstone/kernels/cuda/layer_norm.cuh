// LayerNorm on a GPU: one block per row in forward, one block per group of rows in backward.
//
// A row is read once. It stays in the registers of its block for mean, variance and result; the
// reductions are shuffles within a warp and one exchange between the warps. In backward, each
// thread accumulates its own columns over all rows of its block: no atomic operation, and
// deterministic bits.
//
// Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation 3; the gradients are derived in
// the handbook's chapter on LayerNorm.
#pragma once

#include "rows.cuh"

namespace torchstone::cuda {

template <typename T, typename P, int per_pack, int num_packs>
__global__ void __launch_bounds__(most_threads_of(sizeof(T), per_pack, num_packs))
    layer_norm_kernel(const T* input, const P* weight, const P* bias, T* out, Compute<T>* means,
                      Compute<T>* rstds, int width, double eps) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    const int64_t row = blockIdx.x;
    OneRow x;
    x.load(input + row * width, width);
    Pair<Number> sums{0, 0};
    OneRow::for_each(width, [&](int p, int i, int) { sums.first += x.values[p][i]; });
    const Number mean = sum_over_block(sums, shared).first / width;
    // Centred, so that a mean much larger than the deviation loses no precision.
    sums.first = 0;
    OneRow::for_each(width, [&](int p, int i, int) {
        x.values[p][i] -= mean;
        sums.first += x.values[p][i] * x.values[p][i];
    });
    const Number variance = sum_over_block(sums, shared).first / width;
    const Number rstd = 1 / sqrt(variance + static_cast<Number>(eps));
    OneRow::for_each(width, [&](int p, int i, int column) {
        Number y = x.values[p][i] * rstd;
        if (weight != nullptr) y *= widen(weight[column]);
        if (bias != nullptr) y += widen(bias[column]);
        x.values[p][i] = y;
    });
    x.store(out + row * width, width);
    if (threadIdx.x == 0) {
        means[row] = mean;
        rstds[row] = rstd;
    }
}

// Block b processes the rows from b * height on. `of_weight` and `of_bias` have one row per block,
// or are null.
template <typename T, typename P, int per_pack, int num_packs>
__global__ void __launch_bounds__(most_threads_of(sizeof(T), per_pack, num_packs))
    layer_norm_backward_kernel(const T* grad, const T* input, const P* weight,
                               const Compute<T>* means, const Compute<T>* rstds, T* grad_input,
                               Compute<T>* of_weight, Compute<T>* of_bias, int64_t num_rows,
                               int width, int64_t height) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    Number sum_of_weight[num_packs][per_pack] = {}, sum_of_bias[num_packs][per_pack] = {};
    const int64_t first = blockIdx.x * height;
    const int64_t last = first + height < num_rows ? first + height : num_rows;
    for (int64_t row = first; row < last; row++) {
        const Number mean = means[row], rstd = rstds[row];
        OneRow h, x;
        h.load(grad + row * width, width);
        x.load(input + row * width, width);
        Pair<Number> sums{0, 0};
        OneRow::for_each(width, [&](int p, int i, int column) {
            x.values[p][i] = (x.values[p][i] - mean) * rstd;
            const Number g = h.values[p][i];
            sum_of_weight[p][i] += g * x.values[p][i];
            sum_of_bias[p][i] += g;
            if (weight != nullptr) h.values[p][i] = g * widen(weight[column]);
            sums.first += h.values[p][i];
            sums.second += h.values[p][i] * x.values[p][i];
        });
        sums = sum_over_block(sums, shared);
        const Number alone = sums.first / width, along = sums.second / width;
        OneRow::for_each(width, [&](int p, int i, int) {
            h.values[p][i] = (h.values[p][i] - alone - x.values[p][i] * along) * rstd;
        });
        h.store(grad_input + row * width, width);
    }
    if (of_weight != nullptr) {
        const int64_t part = static_cast<int64_t>(blockIdx.x) * width;
        OneRow::for_each(width, [&](int p, int i, int column) {
            of_weight[part + column] = sum_of_weight[p][i];
            of_bias[part + column] = sum_of_bias[p][i];
        });
    }
}

}  // namespace torchstone::cuda
