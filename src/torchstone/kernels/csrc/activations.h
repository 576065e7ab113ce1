// GELU of a sum with a bias, and SwiGLU, elementwise; forward and backward.
#pragma once

#include "functions.h"
#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

// A value and its derivative.
template <typename V>
struct Tangent {
    V value, slope;
};

// GELU with tanh: x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3), because 1 + tanh(u) = 2
// sigmoid(2 u).
//
// Source: Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016, section 2.
template <typename V>
inline Tangent<V> gelu(V x) {
    using Number = std::remove_reference_t<decltype(x[0])>;
    constexpr Number twice = static_cast<Number>(1.5957691216057307117597842397);
    constexpr Number cubic = static_cast<Number>(0.044715);
    const V square = x * x;
    const V gate = sigmoid(x * (1 + cubic * square) * twice);
    // If x^3 overflows the slope is 0 or 1: gate (1 - gate) is 0, but its product with infinity is
    // NaN.
    const V inner = gate * (1 - gate);
    const V rise = x * inner * (1 + 3 * cubic * square) * twice;
    return {x * gate, gate + select(inner == 0, V{}, rise)};
}

// SiLU: x sigmoid(x).
template <typename V>
inline Tangent<V> silu(V x) {
    const V gate = sigmoid(x);
    const V inner = gate * (1 - gate);
    return {x * gate, gate + select(inner == 0, V{}, x * inner)};
}

template <typename T>
void bias_gelu_rows(const BiasGelu& it, int64_t first, int64_t last) {
    const auto* bias = static_cast<const Compute<T>*>(it.bias);
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.input) + r * it.width;
        map_row<false>(static_cast<T*>(it.out) + r * it.width, it.width,
                       [&](int64_t i, auto load) {
                           return gelu(load(row + i) + load(bias + i)).value;
                       });
    }
}

// Adds the rows' contributions to the gradient of the bias, unless that is null.
template <typename T>
void bias_gelu_backward_rows(const BiasGelu& it, int64_t first, int64_t last, void* grad_bias) {
    const auto* bias = static_cast<const Compute<T>*>(it.bias);
    auto* of_bias = static_cast<Compute<T>*>(grad_bias);
    for (int64_t r = first; r < last; r++) {
        const T* row = static_cast<const T*>(it.input) + r * it.width;
        const T* grad = static_cast<const T*>(it.grad) + r * it.width;
        T* out = static_cast<T*>(it.out) + r * it.width;
        walk<T>(it.width, [&](int64_t i, auto load, auto store) {
            const auto lanes = load(grad + i) * gelu(load(row + i) + load(bias + i)).slope;
            store(out + i, lanes);
            if (of_bias != nullptr) {
                store(of_bias + i, load(of_bias + i) + lanes);
            }
        });
    }
}

// silu(gate) * up, for contiguous elements.
template <typename T>
void swiglu_range(const Swiglu& it, int64_t first, int64_t last) {
    const T* gate = static_cast<const T*>(it.gate) + first;
    const T* up = static_cast<const T*>(it.up) + first;
    map_row<false>(static_cast<T*>(it.out) + first, last - first, [&](int64_t i, auto load) {
        return silu(load(gate + i)).value * load(up + i);
    });
}

template <typename T>
void swiglu_backward_range(const Swiglu& it, int64_t first, int64_t last) {
    const T* gate = static_cast<const T*>(it.gate) + first;
    const T* up = static_cast<const T*>(it.up) + first;
    const T* grad = static_cast<const T*>(it.grad) + first;
    T* of_gate = static_cast<T*>(it.out) + first;
    T* of_up = static_cast<T*>(it.grad_up) + first;
    walk<T>(last - first, [&](int64_t i, auto load, auto store) {
        const auto g = load(grad + i);
        const auto [value, slope] = silu(load(gate + i));
        store(of_gate + i, g * load(up + i) * slope);
        store(of_up + i, g * value);
    });
}

}  // namespace torchstone::KERNELS_ISA
