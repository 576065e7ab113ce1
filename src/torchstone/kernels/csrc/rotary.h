// Rotary embedding: pairs of elements are rotated by an angle that depends on their position.
//
// Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
// equation 34.
#pragma once

#include <utility>

#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

template <typename V, int... lane>
inline V even_lanes(V low, V high, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(low, high, (2 * lane)...);
}

template <typename V, int... lane>
inline V odd_lanes(V low, V high, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(low, high, (2 * lane + 1)...);
}

// Interleaves lanes of the first and the second: of the half that starts at `begin`.
template <int begin, typename V, int... lane>
inline V beside_each_other(V first, V second, std::integer_sequence<int, lane...>) {
    constexpr int count = sizeof...(lane);
    return __builtin_shufflevector(first, second,
                                   (begin + lane / 2 + (lane % 2 != 0 ? count : 0))...);
}

// The partner of element i is i + half.
template <typename T>
inline void rotate_halves(const T* row, const Compute<T>* cosines, const Compute<T>* sines,
                          Compute<T> sign, T* out, int64_t half) {
    walk<T>(half, [&](int64_t i, auto load, auto store) {
        const auto first = load(row + i), second = load(row + half + i);
        const auto c = load(cosines + i), s = load(sines + i) * sign;
        store(out + i, first * c - second * s);
        store(out + half + i, first * s + second * c);
    });
}

// The partner of element 2 i is 2 i + 1.
template <typename T>
inline void rotate_neighbours(const T* row, const Compute<T>* cosines, const Compute<T>* sines,
                              Compute<T> sign, T* out, int64_t half) {
    constexpr int N = num_lanes<T>;
    constexpr std::make_integer_sequence<int, N> lanes;
    int64_t i = 0;
    for (; i + N <= half; i += N) {
        const auto low = load(row + 2 * i), high = load(row + 2 * i + N);
        const auto first = even_lanes(low, high, lanes), second = odd_lanes(low, high, lanes);
        const auto c = load(cosines + i), s = load(sines + i) * sign;
        const auto a = first * c - second * s, b = first * s + second * c;
        store(out + 2 * i, beside_each_other<0>(a, b, lanes));
        store(out + 2 * i + N, beside_each_other<N / 2>(a, b, lanes));
    }
    for (; i < half; i++) {
        const auto first = load_some(row + 2 * i, 1), second = load_some(row + 2 * i + 1, 1);
        const Compute<T> c = cosines[i], s = sines[i] * sign;
        store_some(out + 2 * i, first * c - second * s, 1);
        store_some(out + 2 * i + 1, first * s + second * c, 1);
    }
}

template <typename T>
void rotate_rows(const Rotary& it, int64_t first, int64_t last) {
    using Number = Compute<T>;
    const int64_t half = it.width / 2;
    const Number sign = it.turns_back ? -1 : 1;
    for (int64_t r = first; r < last; r++) {
        const int64_t place = r % it.num_places * half;
        const auto* cosines = static_cast<const Number*>(it.cosines) + place;
        const auto* sines = static_cast<const Number*>(it.sines) + place;
        const T* row = static_cast<const T*>(it.input) + r * it.width;
        T* out = static_cast<T*>(it.out) + r * it.width;
        if (it.is_interleaved) {
            rotate_neighbours(row, cosines, sines, sign, out, half);
        } else {
            rotate_halves(row, cosines, sines, sign, out, half);
        }
    }
}

}  // namespace torchstone::KERNELS_ISA
