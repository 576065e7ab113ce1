// Softmax on a GPU: one block per row.
//
// A row that fits into the registers of its block is read once. A wider one is processed in chunks:
// each thread keeps its maximum, and its sum of exponentials, which is rescaled when the maximum
// grows; the row is read a second time for the results.
//
// Source: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018, algorithm 3 and
// equation 4.
#pragma once

#include <cmath>

#include "rows.cuh"

namespace torchstone::cuda {

// The subtrahend of exponentials: the maximum, but 0 for minus infinity, whose difference to itself
// is NaN.
template <typename Number>
__device__ Number shift_of(Number largest) {
    return largest > -INFINITY ? largest : Number{0};
}

// Pairs of maximum and sum of exp(x - maximum) over a set: merges the pairs of two sets.
template <typename Number>
__device__ Pair<Number> join_exponentials(Pair<Number> a, Pair<Number> b) {
    const Number largest = fmax(a.first, b.first), shift = shift_of(largest);
    return {largest, a.second * exp(a.first - shift) + b.second * exp(b.first - shift)};
}

template <typename T, int per_pack, int num_packs>
__global__ void __launch_bounds__(most_threads_of(sizeof(T), per_pack, num_packs))
    softmax_kernel(const T* input, T* out, int64_t width) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    const int64_t row = blockIdx.x * width;
    const int chunk = blockDim.x * num_packs * per_pack;
    const Pair<Number> none{-INFINITY, 0};
    Pair<Number> seen = none;
    OneRow x;
    for (int64_t begin = 0; begin < width; begin += chunk) {
        const int rest = width - begin < chunk ? static_cast<int>(width - begin) : chunk;
        x.load(input + row + begin, rest);
        Pair<Number> here = none;
        OneRow::for_each(rest, [&](int p, int i, int) {
            here.first = fmax(here.first, x.values[p][i]);
        });
        const Number shift = shift_of(here.first);
        OneRow::for_each(rest, [&](int p, int i, int) {
            here.second += exp(x.values[p][i] - shift);
        });
        seen = join_exponentials(seen, here);
    }
    const Pair<Number> whole =
        join_over_block(seen, none, shared, [](Pair<Number> a, Pair<Number> b) {
            return join_exponentials(a, b);
        });
    for (int64_t begin = 0; begin < width; begin += chunk) {
        const int rest = width - begin < chunk ? static_cast<int>(width - begin) : chunk;
        if (width > chunk) x.load(input + row + begin, rest);
        OneRow::for_each(rest, [&](int p, int i, int) {
            x.values[p][i] = exp(x.values[p][i] - whole.first) / whole.second;
        });
        x.store(out + row + begin, rest);
    }
}

// y (grad - sum of grad y).
template <typename T, int per_pack, int num_packs>
__global__ void __launch_bounds__(most_threads_of(sizeof(T), per_pack, num_packs))
    softmax_backward_kernel(const T* grad, const T* out, T* grad_input, int64_t width) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    const int64_t row = blockIdx.x * width;
    const int chunk = blockDim.x * num_packs * per_pack;
    Pair<Number> sums{0, 0};
    OneRow g, y;
    for (int64_t begin = 0; begin < width; begin += chunk) {
        const int rest = width - begin < chunk ? static_cast<int>(width - begin) : chunk;
        g.load(grad + row + begin, rest);
        y.load(out + row + begin, rest);
        OneRow::for_each(rest, [&](int p, int i, int) {
            sums.first += g.values[p][i] * y.values[p][i];
        });
    }
    const Number along = sum_over_block(sums, shared).first;
    for (int64_t begin = 0; begin < width; begin += chunk) {
        const int rest = width - begin < chunk ? static_cast<int>(width - begin) : chunk;
        if (width > chunk) {
            g.load(grad + row + begin, rest);
            y.load(out + row + begin, rest);
        }
        OneRow::for_each(rest, [&](int p, int i, int) {
            g.values[p][i] = y.values[p][i] * (g.values[p][i] - along);
        });
        g.store(grad_input + row + begin, rest);
    }
}

}  // namespace torchstone::cuda
