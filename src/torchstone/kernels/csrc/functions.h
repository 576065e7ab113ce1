// Vectorized functions: exp, and functions based on it.
#pragma once

#include "lanes.h"

namespace torchstone::KERNELS_ISA {

// Selects lanes of `yes` where the condition is true, of `no` elsewhere.
template <typename Mask, typename V>
inline V select(Mask mask, V yes, V no) {
    return mask ? yes : no;
}

// Returns the second argument where the first is less; NaN in the first is kept.
template <typename V>
inline V larger(V a, V b) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<V, Vec<float>>) {
        return _mm512_max_ps(b, a);
    }
#endif
    return select(a < b, b, a);
}

// Returns the largest lane, by a tree reduction.
template <typename V>
inline auto largest_lane(V lanes) {
    using Number = std::remove_reference_t<decltype(lanes[0])>;
    constexpr int count = sizeof(V) / sizeof(Number);
    if constexpr (count == 2) {
        return lanes[0] < lanes[1] ? lanes[1] : lanes[0];
    } else {
        typedef Number Half __attribute__((vector_size(sizeof(V) / 2)));
        Half halves[2];
        __builtin_memcpy(halves, &lanes, sizeof(lanes));
        return largest_lane(select(halves[0] < halves[1], halves[1], halves[0]));
    }
}

// Computes x 2^n for an integer n from -252 to 254, given as n + magic: its last bits are n.
constexpr float magic = 12582912.0f;  // 1.5 2^23

inline Vec<float> times_power(Vec<float> x, Vec<float> n_and_magic) {
#if defined(__AVX512F__)
    return _mm512_scalef_ps(x, n_and_magic - magic);
#else
    // In two steps, so that both factors are normal numbers.
    const Signs whole = as<Signs>(n_and_magic) - as<Signs>(all<Vec<float>>(magic));
    const Signs half = whole >> 1;
    const auto first = as<Vec<float>>((half + 127) << 23);
    const auto second = as<Vec<float>>((whole - half + 127) << 23);
    return x * first * second;
#endif
}

// exp with an error of at most two ulps from -104, where it becomes 0, to 88.7, where it becomes
// infinite; NaN is propagated.
//
// Source of the coefficients: Moshier, Cephes Mathematical Library, expf.
inline Vec<float> exponential(Vec<float> x) {
    using V = Vec<float>;
    x = select(x < -104.0f, all<V>(-104.0f), x);
    x = select(x > 89.0f, all<V>(89.0f), x);
    // x = n log 2 + r with an integer n: adding 1.5 * 2^23 rounds.
    const V n_and_magic = x * 1.44269504088896341f + magic;
    const V n = n_and_magic - magic;
    const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    V series = r * 1.9875691500e-4f + 1.3981999507e-3f;
    series = series * r + 8.3334519073e-3f;
    series = series * r + 4.1665795894e-2f;
    series = series * r + 1.6666665459e-1f;
    series = series * r + 5.0000001201e-1f;
    series = series * (r * r) + r + 1.0f;
    return times_power(series, n_and_magic);
}

inline Vec<double> exponential(Vec<double> x) {
    for (int i = 0; i < num_bytes / 8; i++) {
        x[i] = __builtin_exp(x[i]);
    }
    return x;
}

// 2^x with an error of at most one ulp for x from -150, where it becomes 0, to 127; NaN is
// propagated. It takes fewer steps than exp: attention folds the factor log2(e) into the scale.
//
// The coefficients are minimax for the relative error on [-1/2, 1/2]: 2e-9 before they are rounded.
inline Vec<float> power_of_two(Vec<float> x) {
    using V = Vec<float>;
    x = larger(x, all<V>(-150.0f));
    const V n_and_magic = x + magic;
    const V r = x - (n_and_magic - magic);
    V series = r * 1.5353362e-4f + 1.3398874e-3f;
    series = series * r + 9.618437e-3f;
    series = series * r + 5.5503324e-2f;
    series = series * r + 2.4022648e-1f;
    series = series * r + 6.931472e-1f;
    series = series * r + 1.0f;
    return times_power(series, n_and_magic);
}

inline Vec<double> power_of_two(Vec<double> x) {
    for (int i = 0; i < num_bytes / 8; i++) {
        x[i] = __builtin_exp2(x[i]);
    }
    return x;
}

// 1 / (1 + exp(-x))
template <typename V>
inline V sigmoid(V x) {
    return 1 / (1 + exponential(-x));
}

}  // namespace torchstone::KERNELS_ISA
