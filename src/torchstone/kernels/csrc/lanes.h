// Vectors of the compiler's vector extension, of the width of the target instruction set.
//
// A kernel is written once, over `Lanes`, and compiled once for every instruction set. Everything
// is in a namespace named after the set: if two copies of a function had the same name, the linker
// would keep one of them, possibly one that this processor does not support.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace torchstone::KERNELS_ISA {

// 16-bit numbers, as stored in memory.
struct BFloat16 {
    uint16_t bits;
};
struct Half {
    uint16_t bits;
};

#if defined(__AVX512F__)
constexpr int num_bytes = 64;
#elif defined(__AVX2__)
constexpr int num_bytes = 32;
#else
constexpr int num_bytes = 16;
#endif

// The compute type of a storage type: half types are computed in float, each result rounded once.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
struct Vector {
    typedef T type __attribute__((vector_size(num_bytes)));
};
template <typename T>
using Vec = typename Vector<T>::type;
template <typename T>
constexpr int num_lanes = num_bytes / static_cast<int>(sizeof(Compute<T>));

typedef uint32_t Words __attribute__((vector_size(num_bytes)));
typedef int32_t Signs __attribute__((vector_size(num_bytes)));
typedef uint16_t Halves __attribute__((vector_size(num_bytes / 2)));

template <typename To, typename From>
inline To as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

template <typename V>
inline V all(typename std::remove_reference_t<decltype(V{}[0])> value) {
    return V{} + value;
}

// ---- Loads

inline Vec<float> load(const float* from) {
    Vec<float> lanes;
    __builtin_memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

inline Vec<double> load(const double* from) {
    Vec<double> lanes;
    __builtin_memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

// A bfloat16 is the upper half of a float32.
inline Vec<float> load(const BFloat16* from) {
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof(halves));
    return as<Vec<float>>(__builtin_convertvector(halves, Words) << 16);
}

// Includes subnormal numbers: scaling by a power of two corrects the exponent.
inline Vec<float> load(const Half* from) {
#if defined(__AVX512F__)
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__)
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(__aarch64__)
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const uint16_t*>(from))));
#else
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof(halves));
    const Words bits = __builtin_convertvector(halves, Words);
    const Words sign = (bits & 0x8000u) << 16, rest = (bits & 0x7fffu) << 13;
    const Vec<float> scaled = as<Vec<float>>(rest) * 0x1p112f;
    const Signs is_infinite = (bits & 0x7c00u) == 0x7c00u;
    const Words exponent = as<Words>(is_infinite) & 0x7f800000u;
    return as<Vec<float>>(sign | as<Words>(scaled) | exponent);
#endif
}

// ---- Stores

inline void store(float* to, Vec<float> lanes) { __builtin_memcpy(to, &lanes, sizeof(lanes)); }
inline void store(double* to, Vec<double> lanes) { __builtin_memcpy(to, &lanes, sizeof(lanes)); }

inline Halves rounded_to_bfloat16(Vec<float> lanes) {
#if defined(__AVX512BF16__) && defined(__AVX512F__)
    return as<Halves>(_mm512_cvtneps_pbh(lanes));
#else
    // Rounds to nearest, ties to even; NaN is propagated.
    const Words bits = as<Words>(lanes);
    const Words rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const Words is_nan = as<Words>(lanes != lanes);
    return __builtin_convertvector((rounded & ~is_nan) | (0x7fc0u & is_nan), Halves);
#endif
}

inline Halves rounded_to_half(Vec<float> lanes) {
#if defined(__AVX512F__)
    return as<Halves>(_mm512_cvtps_ph(lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
    return as<Halves>(_mm256_cvtps_ph(lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__aarch64__)
    return as<Halves>(vcvt_f16_f32(lanes));
#else
    const Words bits = as<Words>(lanes);
    const Words sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
    const Words is_nan = as<Words>(rest > 0x7f800000u);
    const Words is_large = as<Words>(rest >= 0x47800000u);  // 2^16 and beyond
    const Words is_small = as<Words>(rest < 0x38800000u);   // below 2^-14
    // For normal numbers: shift the exponent by 112 and round 13 bits away, ties to even.
    const Words normal = (rest - 0x38000000u + 0x0fffu + ((rest >> 13) & 1u)) >> 13;
    // For subnormal ones, adding 0.5 leaves multiples of 2^-24 in the last bits, correctly rounded.
    const Words small = as<Words>(as<Vec<float>>(rest) + 0.5f) - 0x3f000000u;
    const Words infinite = 0x7c00u | (is_nan & 0x0200u);
    Words result = (small & is_small) | (normal & ~is_small);
    result = (infinite & is_large) | (result & ~is_large);
    return __builtin_convertvector(sign | result, Halves);
#endif
}

inline void store(BFloat16* to, Vec<float> lanes) {
    const Halves halves = rounded_to_bfloat16(lanes);
    __builtin_memcpy(to, &halves, sizeof(halves));
}

inline void store(Half* to, Vec<float> lanes) {
    const Halves halves = rounded_to_half(lanes);
    __builtin_memcpy(to, &halves, sizeof(halves));
}

// ---- Non-temporal stores, for outputs larger than the caches; `to` is aligned.

#if defined(__x86_64__)
template <typename V>
inline void stream_bytes(void* to, V lanes) {
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) {
        _mm512_stream_si512(static_cast<__m512i*>(to), as<__m512i>(lanes));
        return;
    }
#endif
#if defined(__AVX__)
    if constexpr (sizeof(V) == 32) {
        _mm256_stream_si256(static_cast<__m256i*>(to), as<__m256i>(lanes));
        return;
    }
#endif
    if constexpr (sizeof(V) == 16) {
        _mm_stream_si128(static_cast<__m128i*>(to), as<__m128i>(lanes));
    } else if constexpr (sizeof(V) == 8) {
        _mm_stream_si64(static_cast<long long*>(to), as<long long>(lanes));
    }
}
inline void end_streams() { _mm_sfence(); }
#else
template <typename V>
inline void stream_bytes(void* to, V lanes) {
    __builtin_memcpy(to, &lanes, sizeof(lanes));
}
inline void end_streams() {}
#endif

inline void stream(float* to, Vec<float> lanes) { stream_bytes(to, lanes); }
inline void stream(double* to, Vec<double> lanes) { stream_bytes(to, lanes); }
inline void stream(BFloat16* to, Vec<float> lanes) { stream_bytes(to, rounded_to_bfloat16(lanes)); }
inline void stream(Half* to, Vec<float> lanes) { stream_bytes(to, rounded_to_half(lanes)); }

// ---- The remaining lanes of a row

template <typename T>
inline Vec<Compute<T>> load_some(const T* from, int64_t count) {
    T lanes[num_lanes<T>] = {};
    __builtin_memcpy(lanes, from, count * sizeof(T));
    return load(lanes);
}

template <typename T>
inline void store_some(T* to, Vec<Compute<T>> lanes, int64_t count) {
    T copy[num_lanes<T>];
    store(copy, lanes);
    __builtin_memcpy(to, copy, count * sizeof(T));
}

// Zeroes all but the first `count` lanes.
template <typename V>
inline V only_first(V lanes, int64_t count) {
    for (int64_t i = count; i < static_cast<int64_t>(sizeof(V) / sizeof(lanes[0])); i++) {
        lanes[i] = 0;
    }
    return lanes;
}

// Adds all lanes by halves, always in the same order.
template <typename V>
inline auto sum(V lanes) {
    using Number = std::remove_reference_t<decltype(lanes[0])>;
    constexpr int count = sizeof(V) / sizeof(Number);
    if constexpr (count == 2) {
        return lanes[0] + lanes[1];
    } else {
        typedef Number Half __attribute__((vector_size(sizeof(V) / 2)));
        Half halves[2];
        __builtin_memcpy(halves, &lanes, sizeof(lanes));
        return sum(halves[0] + halves[1]);
    }
}

}  // namespace torchstone::KERNELS_ISA
