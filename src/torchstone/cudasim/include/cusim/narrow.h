// The 16-bit types __half and __nv_bfloat16: rounding of an exact result.
#pragma once

#include <cstdint>

#include "cusim/abi.h"
#include "cusim/intrinsics.h"

enum CusimRounding { CUSIM_NEAREST, CUSIM_TO_ZERO, CUSIM_UPWARD, CUSIM_DOWNWARD };

// Specialised by each type: significand bits including the leading one, and the exponents of the
// smallest and the largest normal number.
template <typename T>
struct CusimNarrow;

template <typename T>
CUSIM_INLINE constexpr uint16_t cusim_bits(T x) noexcept {
  return __builtin_bit_cast(uint16_t, x);
}
template <typename T>
CUSIM_INLINE constexpr T cusim_from_bits(unsigned bits) noexcept {
  return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
}
template <typename T>
constexpr unsigned cusim_infinity = unsigned(CusimNarrow<T>::max_exponent -
                                             CusimNarrow<T>::min_exponent + 2)
                                    << (CusimNarrow<T>::precision - 1);
// The canonical NaN that a GPU returns for every operation on either type.
constexpr unsigned cusim_narrow_nan = 0x7fff;

// Rounds any double once. A subnormal result keeps fewer bits, and a carry out of the kept bits
// increments the exponent, which is correct up to the step from the largest number to infinity.
template <typename T>
inline T cusim_round(double x, CusimRounding rounding) noexcept {
  constexpr int precision = CusimNarrow<T>::precision;
  constexpr int min_exponent = CusimNarrow<T>::min_exponent;
  const uint64_t bits = __builtin_bit_cast(uint64_t, x);
  const unsigned sign = unsigned(bits >> 63) << 15;
  const int biased = int(bits >> 52 & 0x7ff);
  uint64_t digits = bits & 0xfffffffffffffull;
  if (biased == 0x7ff) {
    return cusim_from_bits<T>(digits != 0 ? cusim_narrow_nan : sign | cusim_infinity<T>);
  }
  const int exponent = biased == 0 ? -1022 : biased - 1023;
  if (biased != 0) digits |= 1ull << 52;
  const bool outward = rounding == (sign != 0 ? CUSIM_DOWNWARD : CUSIM_UPWARD);
  if (exponent > CusimNarrow<T>::max_exponent) {
    const bool infinite = outward || rounding == CUSIM_NEAREST;
    return cusim_from_bits<T>(sign | (cusim_infinity<T> - (infinite ? 0 : 1)));
  }
  const int below = exponent < min_exponent ? min_exponent - exponent : 0;
  // A shift by 54 drops all 53 bits, and leaves half a unit larger than any of them.
  const int dropped = 53 - precision + below < 54 ? 53 - precision + below : 54;
  const uint64_t rest = digits & ((1ull << dropped) - 1), half = 1ull << (dropped - 1);
  unsigned kept = unsigned(digits >> dropped);
  const bool nearer = rest > half || (rest == half && (kept & 1) != 0);
  kept += (rounding == CUSIM_NEAREST ? nearer : outward && rest != 0) ? 1 : 0;
  const unsigned scale = below != 0 ? 0 : unsigned(exponent - min_exponent);
  return cusim_from_bits<T>(sign | ((scale << (precision - 1)) + kept));
}

// Rounds a float or a double to nearest. Most results of arithmetic fit in a float, for which each
// type has a faster conversion.
template <typename T>
CUSIM_INLINE T cusim_nearest(float x) noexcept {
  return CusimNarrow<T>::nearest(x);
}
template <typename T>
CUSIM_INLINE T cusim_nearest(double x) noexcept {
  const float single = float(x);
  return double(single) == x ? cusim_nearest<T>(single) : cusim_round<T>(x, CUSIM_NEAREST);
}

// a * b + c rounded to odd: the lost bits of a double are recorded in the last bit, so that
// rounding once more equals rounding the exact result. The product is exact.
inline double cusim_fma_to_odd(float a, float b, float c) noexcept {
  const double product = double(a) * double(b), addend = c;
  const double sum = product + addend;
  const double added = sum - product;
  const double lost = (product - (sum - added)) + (addend - added);
  const uint64_t bits = __builtin_bit_cast(uint64_t, sum);
  // Comparisons with NaN are false, so an infinite or invalid result is unchanged.
  if ((lost > 0 || lost < 0) && (bits & 1) == 0) {
    return __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
  return sum;
}

// Converts an integer to a double that rounds to either type as the integer does: bits that a
// double cannot hold are far below the kept ones, and only whether any is set matters.
CUSIM_INLINE double cusim_wide(unsigned long long x) noexcept {
  if (x >> 53 == 0) return double(x);
  return 2048.0 * double(x >> 11 | ((x & 2047) != 0 ? 1 : 0));
}
CUSIM_INLINE double cusim_wide(long long x) noexcept {
  const double size = cusim_wide(x < 0 ? 0 - (unsigned long long)x : (unsigned long long)x);
  return x < 0 ? -size : size;
}
