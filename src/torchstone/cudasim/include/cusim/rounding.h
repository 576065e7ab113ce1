// Arithmetic and casts with an explicit rounding mode: _rn nearest, _rz to zero, _ru up, _rd down.
// Results are correctly rounded for all operands.
#pragma once

#include <cfenv>
#include <cstdint>

#include "cusim/math.h"
#include "cusim/vector_types.h"

// An opaque value at this point between two calls. (volatile does not suffice: g++ drops it for a
// parameter when it inlines a call with a constant.)
template <typename T>
CUSIM_INLINE T cusim_here(T x) noexcept {
  asm volatile("" : "+m"(x) : : "memory");
  return x;
}

// The operation in another rounding mode of the processor, kept between the two mode switches.
template <typename R, typename Operation, typename... Operands>
inline R cusim_rounded(int mode, Operation operation, Operands... operands) noexcept {
  const int before = std::fegetround();
  std::fesetround(mode);
  const R result = cusim_here<R>(operation(cusim_here(operands)...));
  std::fesetround(before);
  return result;
}

// The four variants of one operation; round-to-nearest is the processor's default.
#define CUSIM_ROUNDED(R, name, parameters, operation, ...)               \
  CUSIM_INLINE R name##_rn parameters noexcept {                         \
    const auto compute = operation;                                      \
    return compute(__VA_ARGS__);                                         \
  }                                                                      \
  inline R name##_rz parameters noexcept {                               \
    return cusim_rounded<R>(FE_TOWARDZERO, operation, __VA_ARGS__);      \
  }                                                                      \
  inline R name##_ru parameters noexcept {                               \
    return cusim_rounded<R>(FE_UPWARD, operation, __VA_ARGS__);          \
  }                                                                      \
  inline R name##_rd parameters noexcept {                               \
    return cusim_rounded<R>(FE_DOWNWARD, operation, __VA_ARGS__);        \
  }

// An explicit product or sum is never contracted to a fused operation: the compiler must not
// recognize the result of a product, nor the operands of a sum.
#if defined(__x86_64__)
#define CUSIM_FLOAT_REGISTER "+x"
#elif defined(__aarch64__)
#define CUSIM_FLOAT_REGISTER "+w"
#else
#define CUSIM_FLOAT_REGISTER "+m"
#endif
template <typename T>
CUSIM_INLINE T cusim_opaque(T x) noexcept {
  asm("" : CUSIM_FLOAT_REGISTER(x));
  return x;
}
template <typename T>
CUSIM_INLINE T cusim_sum(T x, T y) noexcept {
  return cusim_opaque(cusim_opaque(x) + cusim_opaque(y));
}
template <typename T>
CUSIM_INLINE T cusim_product(T x, T y) noexcept {
  return cusim_opaque(x * y);
}

#define CUSIM_ROUNDED_ARITHMETIC(T, prefix)                                                     \
  CUSIM_ROUNDED(T, prefix##add, (T a, T b), [](T x, T y) { return cusim_sum(x, y); }, a, b)     \
  CUSIM_ROUNDED(T, prefix##sub, (T a, T b), [](T x, T y) { return cusim_sum(x, -y); }, a, b)    \
  CUSIM_ROUNDED(T, prefix##mul, (T a, T b), [](T x, T y) { return cusim_product(x, y); }, a, b) \
  CUSIM_ROUNDED(T, prefix##div, (T a, T b), [](T x, T y) { return x / y; }, a, b)               \
  CUSIM_ROUNDED(T, prefix##rcp, (T a), [](T x) { return 1 / x; }, a)                            \
  CUSIM_ROUNDED(T, prefix##sqrt, (T a), [](T x) { return std::sqrt(x); }, a)

CUSIM_ROUNDED_ARITHMETIC(float, __f)
CUSIM_ROUNDED_ARITHMETIC(double, __d)
#undef CUSIM_ROUNDED_ARITHMETIC
CUSIM_ROUNDED(float, __fmaf, (float a, float b, float c),
              [](float x, float y, float z) { return std::fma(x, y, z); }, a, b, c)
CUSIM_ROUNDED(double, __fma, (double a, double b, double c),
              [](double x, double y, double z) { return std::fma(x, y, z); }, a, b, c)

// Only the nearest variant exists. 1/sqrt(x) in double has an error of about half an ulp of double;
// close to the midpoint m of two floats, the sign of x*m*m - 1 decides.
inline float __frsqrt_rn(float x) noexcept {
  if (!(x > 0) || isinf(x)) return 1.0f / sqrtf(x);
  const double estimate = 1.0 / std::sqrt(double(x));
  const float nearest = float(estimate);
  const float other = std::nextafter(nearest, estimate > nearest ? HUGE_VALF : 0.0f);
  const double middle = 0.5 * (double(nearest) + double(other));
  // x and the midpoint have 24 and 25 bits, so their product is exact, and fma preserves the sign.
  const double side = std::fma(double(x) * middle, middle, -1.0);
  const bool beyond = other > nearest ? side < 0 : side > 0;
  return beyond ? other : nearest;
}

// --- between floating types and from integers ---------------------------------------------------

CUSIM_ROUNDED(float, __double2float, (double a), [](double x) { return float(x); }, a)
CUSIM_ROUNDED(float, __int2float, (int a), [](int x) { return float(x); }, a)
CUSIM_ROUNDED(float, __uint2float, (unsigned a), [](unsigned x) { return float(x); }, a)
CUSIM_ROUNDED(float, __ll2float, (long long a), [](long long x) { return float(x); }, a)
CUSIM_ROUNDED(float, __ull2float, (unsigned long long a),
              [](unsigned long long x) { return float(x); }, a)
CUSIM_ROUNDED(double, __ll2double, (long long a), [](long long x) { return double(x); }, a)
CUSIM_ROUNDED(double, __ull2double, (unsigned long long a),
              [](unsigned long long x) { return double(x); }, a)
#undef CUSIM_ROUNDED

CUSIM_INLINE double __int2double_rn(int x) noexcept { return x; }
CUSIM_INLINE double __uint2double_rn(unsigned x) noexcept { return x; }

// --- to integers: saturating ---------------------------------------------------------------------

// The hardware's result for NaN: 0 from float to at most 32 bits, otherwise only the highest bit
// set.
template <typename I, typename F>
CUSIM_INLINE I cusim_to_integer(F whole) noexcept {
  constexpr bool is_signed = I(-1) < I(0);
  constexpr int bits = 8 * sizeof(I);
  constexpr F limit = is_signed ? F(1ull << (bits - 2)) * 2 : F(1ull << (bits - 1)) * 2;
  constexpr I top_bit = I(1ull << (bits - 1));
  if (whole != whole) return sizeof(F) == 4 && sizeof(I) <= 4 ? I(0) : top_bit;
  if (whole >= limit) return is_signed ? I(~top_bit) : I(~I(0));
  if (is_signed ? whole < -limit : whole < 0) return is_signed ? top_bit : I(0);
  return I(whole);
}

#define CUSIM_TO_INTEGER(I, F, name)                                                        \
  CUSIM_INLINE I name##_rn(F x) noexcept { return cusim_to_integer<I>(std::rint(x)); }      \
  CUSIM_INLINE I name##_rz(F x) noexcept { return cusim_to_integer<I>(std::trunc(x)); }     \
  CUSIM_INLINE I name##_ru(F x) noexcept { return cusim_to_integer<I>(std::ceil(x)); }      \
  CUSIM_INLINE I name##_rd(F x) noexcept { return cusim_to_integer<I>(std::floor(x)); }

CUSIM_TO_INTEGER(int, float, __float2int)
CUSIM_TO_INTEGER(unsigned, float, __float2uint)
CUSIM_TO_INTEGER(long long, float, __float2ll)
CUSIM_TO_INTEGER(unsigned long long, float, __float2ull)
CUSIM_TO_INTEGER(int, double, __double2int)
CUSIM_TO_INTEGER(unsigned, double, __double2uint)
CUSIM_TO_INTEGER(long long, double, __double2ll)
CUSIM_TO_INTEGER(unsigned long long, double, __double2ull)
#undef CUSIM_TO_INTEGER
