// Functions of all lanes: exp, and what is made of it.
#pragma once

#include "lanes.h"

namespace torchstone::KERNELS_ISA {

// Takes each lane of `yes` where the comparison held, of `no` elsewhere.
template <typename Mask, typename V>
inline V select(Mask mask, V yes, V no) {
    return as<V>((as<Mask>(yes) & mask) | (as<Mask>(no) & ~mask));
}

template <typename V>
inline V larger(V a, V b) {
    return select(a < b, b, a);
}

// Within two units in the last place from -104, where it becomes 0, to 88.7, where it becomes
// infinite; what is not a number stays so.
//
// Source of the coefficients: Moshier, Cephes Mathematical Library, expf.
inline Vec<float> exponential(Vec<float> x) {
    using V = Vec<float>;
    x = select(x < -104.0f, all<V>(-104.0f), x);
    x = select(x > 89.0f, all<V>(89.0f), x);
    // x = n log 2 + r with a whole n. Adding 1.5 2^23 rounds, and leaves n in the last bits.
    const V magic = all<V>(12582912.0f);
    const V shifted = x * 1.44269504088896341f + magic;
    const V n = shifted - magic;
    const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    V series = r * 1.9875691500e-4f + 1.3981999507e-3f;
    series = series * r + 8.3334519073e-3f;
    series = series * r + 4.1665795894e-2f;
    series = series * r + 1.6666665459e-1f;
    series = series * r + 5.0000001201e-1f;
    series = series * (r * r) + r + 1.0f;
    // In two steps, so that neither 2^n leaves the normal numbers.
    const Signs whole = as<Signs>(shifted) - as<Signs>(magic);
    const Signs half = whole >> 1;
    const V first = as<V>((half + 127) << 23), second = as<V>((whole - half + 127) << 23);
    return series * first * second;
}

inline Vec<double> exponential(Vec<double> x) {
    for (int i = 0; i < num_bytes / 8; i++) {
        x[i] = __builtin_exp(x[i]);
    }
    return x;
}

// 1 / (1 + exp(-x))
template <typename V>
inline V sigmoid(V x) {
    return 1 / (1 + exponential(-x));
}

}  // namespace torchstone::KERNELS_ISA
