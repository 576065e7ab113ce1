// Block quantization: codes of 8 or 4 bits, and a bfloat16 scale for each block of a row.
//
// Bit-equal to block_reference.py: divisions and roundings are correctly rounded operations, and
// there are no sums.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels.h"
#include "rows.h"

namespace torchstone::KERNELS_ISA {

template <typename To, typename From>
inline To bits_of(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

inline float wide(BFloat16 x) { return bits_of<float>(static_cast<uint32_t>(x.bits) << 16); }

inline BFloat16 to_bfloat16(float x) {
    if (x != x) {
        return {0x7fc0};
    }
    const uint32_t bits = bits_of<uint32_t>(x);
    return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

inline double largest_code(Codes codes) {
    return codes == Codes::int8 ? 127 : codes == Codes::int4 ? 7 : 448;
}

// The smallest magnitude that rounds to infinity in a type.
template <typename T>
constexpr double overflow_of() {
    if constexpr (std::is_same_v<T, Half>) {
        return 65520.0;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return 0x1.ffp127;
    } else if constexpr (std::is_same_v<T, float>) {
        return 0x1.ffffffp127;
    } else {
        return __builtin_inf();
    }
}

// The scale of a block whose largest magnitude is `peak`.
template <typename T>
inline BFloat16 scale_of(Compute<T> peak, double largest) {
    constexpr float smallest = 0x1p-126f;
    if (!(peak <= std::numeric_limits<Compute<T>>::max())) {
        return {0x7fc0};
    }
    // A block whose codes would all be 0 has scale 0, so that requantization changes nothing.
    if (peak <= smallest / 2) {
        return {0};
    }
    BFloat16 scale = to_bfloat16(static_cast<float>(peak / static_cast<Compute<T>>(largest)));
    if (wide(scale) < smallest) {
        scale = to_bfloat16(smallest);
    }
    if (wide(scale) > std::numeric_limits<float>::max()) {
        return {0x7fc0};
    }
    // If the largest code times the scale overflows the type, the next smaller scale is used.
    if (wide(scale) * largest >= overflow_of<T>()) {
        scale.bits--;
    }
    return scale;
}

// The largest magnitude; the bit patterns of magnitudes have the same order as integers, with NaN
// last.
template <typename Number>
inline Number peak_of(const Number* from, int64_t count) {
    using Whole = std::conditional_t<sizeof(Number) == 8, int64_t, int32_t>;
    constexpr Whole no_sign = std::numeric_limits<Whole>::max();
    Whole peak = 0;
    for (int64_t i = 0; i < count; i++) {
        const Whole magnitude = bits_of<Whole>(from[i]) & no_sign;
        peak = magnitude > peak ? magnitude : peak;
    }
    return bits_of<Number>(peak);
}

// Rounds to the nearest integer, ties to even, by adding 1.5 * 2^23 or 1.5 * 2^52.
inline float rounded(float x) { return (x + 12582912.0f) - 12582912.0f; }
inline double rounded(double x) { return (x + 6755399441055744.0) - 6755399441055744.0; }

// Converts a number within the range to float8_e4m3fn, ties to even.
inline uint8_t to_fp8(float x) {
    const uint32_t all = bits_of<uint32_t>(x), sign = all & 0x80000000u, rest = all ^ sign;
    // Below 2^-6, adding 2^14 leaves multiples of 2^-9 in the last bits.
    const uint32_t magic = 141u << 23;
    const uint32_t small = bits_of<uint32_t>(bits_of<float>(rest) + bits_of<float>(magic)) - magic;
    const uint32_t normal = (rest - (120u << 23) + 0x7ffffu + ((rest >> 20) & 1u)) >> 20;
    return static_cast<uint8_t>((rest < (121u << 23) ? small : normal) | (sign >> 24));
}

inline float from_fp8(uint8_t x) {
    const uint32_t rest = x & 0x7fu, sign = static_cast<uint32_t>(x & 0x80u) << 24;
    // By a product, so that no subnormal float is involved.
    const float small = static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-9f;
    const uint32_t normal = (rest << 20) + (120u << 23);
    const uint32_t number = rest < 8 ? bits_of<uint32_t>(small) : normal;
    return bits_of<float>((rest == 0x7f ? 0x7fc00000u : number) | sign);
}

// Writes complete codes of a block; `count` is even if two codes share a byte.
template <typename Number>
inline void store_codes(Codes codes, const Number* from, Number divisor, int64_t count, void* to) {
    const Number largest = static_cast<Number>(largest_code(codes));
    const auto code = [&](int64_t i) {
        const Number quotient = from[i] / divisor;
        const Number below = quotient > largest ? largest : quotient;
        return below < -largest ? -largest : below;
    };
    auto* const bytes = static_cast<uint8_t*>(to);
    switch (codes) {
        case Codes::int8:
            for (int64_t i = 0; i < count; i++) {
                bytes[i] = static_cast<uint8_t>(static_cast<int32_t>(rounded(code(i))));
            }
            return;
        case Codes::int4:
            for (int64_t i = 0; i < count / 2; i++) {
                const auto low = static_cast<int32_t>(rounded(code(2 * i)));
                const auto high = static_cast<int32_t>(rounded(code(2 * i + 1)));
                bytes[i] = static_cast<uint8_t>((low & 15) | ((high & 15) << 4));
            }
            return;
        case Codes::fp8:
            for (int64_t i = 0; i < count; i++) {
                bytes[i] = to_fp8(static_cast<float>(code(i)));
            }
    }
}

inline int64_t code_bytes(Codes codes, int64_t count) {
    return codes == Codes::int4 ? count / 2 : count;
}

// The caller provides memory for a row in the compute type.
template <typename T>
void block_quantize_rows(const BlockQuantize& it, int64_t first, int64_t last, void* memory) {
    using Number = Compute<T>;
    const double largest = largest_code(it.codes);
    const int64_t blocks = it.width / it.block;
    auto* const wide_row = static_cast<Number*>(memory);
    for (int64_t r = first; r < last; r++) {
        const T* const row = static_cast<const T*>(it.input) + r * it.width;
        const Number* numbers = wide_row;
        if constexpr (std::is_same_v<T, Number>) {
            numbers = row;
        } else {
            map_row<false>(wide_row, it.width, [&](int64_t i, auto load) { return load(row + i); });
        }
        auto* codes = static_cast<uint8_t*>(it.out) + r * code_bytes(it.codes, it.width);
        for (int64_t b = 0; b < blocks; b++) {
            const BFloat16 scale = scale_of<T>(peak_of(numbers, it.block), largest);
            static_cast<uint16_t*>(it.scales)[r * blocks + b] = scale.bits;
            const int64_t size = code_bytes(it.codes, it.block);
            if (wide(scale) > 0) {
                store_codes<Number>(it.codes, numbers, wide(scale), it.block, codes);
            } else {
                std::memset(codes, 0, size);
            }
            numbers += it.block;
            codes += size;
        }
    }
}

// Writes the elements of a block.
inline void load_codes(Codes codes, const uint8_t* from, float scale, int64_t count, float* to) {
    switch (codes) {
        case Codes::int8:
            for (int64_t i = 0; i < count; i++) {
                to[i] = static_cast<float>(static_cast<int8_t>(from[i])) * scale;
            }
            return;
        case Codes::int4:
            for (int64_t i = 0; i < count / 2; i++) {
                const int32_t both = from[i];
                to[2 * i] = static_cast<float>(((both & 15) ^ 8) - 8) * scale;
                to[2 * i + 1] = static_cast<float>(((both >> 4) ^ 8) - 8) * scale;
            }
            return;
        case Codes::fp8:
            for (int64_t i = 0; i < count; i++) {
                to[i] = from_fp8(from[i]) * scale;
            }
    }
}

// The caller provides memory for a row of floats.
template <typename T>
void block_dequantize_rows(const BlockDequantize& it, int64_t first, int64_t last, void* memory) {
    const int64_t blocks = it.width / it.block, size = code_bytes(it.codes, it.block);
    for (int64_t r = first; r < last; r++) {
        T* const out = static_cast<T*>(it.out) + r * it.width;
        auto* const floats = static_cast<float*>(std::is_same_v<T, float> ? out : memory);
        const auto* codes = static_cast<const uint8_t*>(it.input) + r * blocks * size;
        const auto* scales = static_cast<const uint16_t*>(it.scales) + r * blocks;
        for (int64_t b = 0; b < blocks; b++) {
            const float scale = wide(BFloat16{scales[b]});
            load_codes(it.codes, codes + b * size, scale, it.block, floats + b * it.block);
        }
        if constexpr (std::is_same_v<T, double>) {
            std::copy(floats, floats + it.width, out);
        } else if constexpr (!std::is_same_v<T, float>) {
            map_row<false>(out, it.width, [&](int64_t i, auto load) { return load(floats + i); });
        }
    }
}

}  // namespace torchstone::KERNELS_ISA
