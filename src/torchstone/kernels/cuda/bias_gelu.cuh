// GELU with tanh of a sum with a bias, on a GPU.
//
// A thread processes a column range of 16 bytes over several rows: it reads the bias once, and in
// backward accumulates the contribution of its columns to the gradient of the bias. A second kernel
// adds these parts: no atomic operation, and deterministic bits.
//
// Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016, section 2. With tanh expressed by
// the logistic function s, gelu(x) = x s(v) and v = 2 sqrt(2 / pi) (x + 0.044715 x^3).
#pragma once

#include <cmath>

#include "rows.cuh"

namespace torchstone::cuda {

template <typename Number>
struct Gelu {
    Number value, slope;
};

// gelu(x) and its derivative s + x s (1 - s) v'.
template <typename Number>
__device__ Gelu<Number> gelu_of(Number x) {
    constexpr Number twice = 1.5957691216057308, cubic = 0.044715;
    const Number square = x * x;
    const Number gate = 1 / (1 + exp(-twice * x * (1 + cubic * square)));
    const Number inner = gate * (1 - gate);
    // If x^3 overflows, inner is 0 and its factor infinite; their product would be NaN.
    const Number rise = inner == 0 ? 0 : x * inner * twice * (1 + 3 * cubic * square);
    return {x * gate, gate + rise};
}

// The columns of a thread, and the rows of its block: from y * height on.
template <typename T, int per_pack>
struct Column {
    using Number = Compute<T>;
    int64_t column, first, last;

    __device__ Column(int64_t num_rows, int64_t height) {
        column = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * per_pack;
        first = blockIdx.y * height;
        last = first + height < num_rows ? first + height : num_rows;
    }

    template <typename P>
    __device__ void load_bias(const P* bias, Number (&shift)[per_pack]) const {
#pragma unroll
        for (int i = 0; i < per_pack; i++) {
            shift[i] = bias != nullptr ? widen(bias[column + i]) : 0;
        }
    }
};

template <typename T, typename P, int per_pack>
__global__ void bias_gelu_kernel(const T* input, const P* bias, T* out, int64_t num_rows,
                                 int64_t width, int64_t height) {
    using OnePack = Pack<T, per_pack>;
    const Column<T, per_pack> own(num_rows, height);
    if (own.column >= width) return;
    Compute<T> shift[per_pack];
    own.load_bias(bias, shift);
    for (int64_t row = own.first; row < own.last; row++) {
        const int64_t at = row * width + own.column;
        const OnePack x = *reinterpret_cast<const OnePack*>(input + at);
        OnePack y;
#pragma unroll
        for (int i = 0; i < per_pack; i++) {
            y.values[i] = narrow<T>(gelu_of(widen(x.values[i]) + shift[i]).value);
        }
        *reinterpret_cast<OnePack*>(out + at) = y;
    }
}

// `parts` has one row per row of blocks, or is null.
template <typename T, typename P, int per_pack>
__global__ void bias_gelu_backward_kernel(const T* grad, const T* input, const P* bias,
                                          T* grad_input, Compute<T>* parts, int64_t num_rows,
                                          int64_t width, int64_t height) {
    using OnePack = Pack<T, per_pack>;
    const Column<T, per_pack> own(num_rows, height);
    if (own.column >= width) return;
    Compute<T> shift[per_pack], sums[per_pack] = {};
    own.load_bias(bias, shift);
    for (int64_t row = own.first; row < own.last; row++) {
        const int64_t at = row * width + own.column;
        const OnePack x = *reinterpret_cast<const OnePack*>(input + at);
        const OnePack g = *reinterpret_cast<const OnePack*>(grad + at);
        OnePack result;
#pragma unroll
        for (int i = 0; i < per_pack; i++) {
            const Compute<T> slope = gelu_of(widen(x.values[i]) + shift[i]).slope;
            const Compute<T> of_sum = widen(g.values[i]) * slope;
            result.values[i] = narrow<T>(of_sum);
            sums[i] += of_sum;
        }
        *reinterpret_cast<OnePack*>(grad_input + at) = result;
    }
    if (parts != nullptr) {
#pragma unroll
        for (int i = 0; i < per_pack; i++) {
            parts[blockIdx.y * width + own.column + i] = sums[i];
        }
    }
}

}  // namespace torchstone::cuda
