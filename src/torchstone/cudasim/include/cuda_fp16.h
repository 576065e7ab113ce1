// __half and __half2: sixteen bits with an 11-bit significand, every operation rounded once.
#pragma once

#include "cusim/narrow.h"

struct __half;
struct __half2;

struct __half_raw {
  unsigned short x;
};
struct alignas(4) __half2_raw {
  unsigned short x, y;
};

template <>
struct CusimNarrow<__half> {
  static constexpr int precision = 11, min_exponent = -14, max_exponent = 15;
  static __half nearest(float x) noexcept;
  static float widen(__half x) noexcept;
  // The product of two has 22 significant bits, and rounding a quotient to float first is harmless.
  typedef float Wide;
};

#define CUSIM_T __half
#define CUSIM_T2 __half2
#define CUSIM_N half
#include "cusim/narrow_type.h"

#if defined(__F16C__) || defined(__aarch64__)
// clang has _Float16 on all targets only since version 15, g++ for aarch64 since 13.
#if defined(__clang__) || defined(__aarch64__)
typedef __fp16 CusimFloat16;
#else
typedef _Float16 CusimFloat16;
#endif
CUSIM_INLINE __half CusimNarrow<__half>::nearest(float x) noexcept {
  if (x != x) return cusim_from_bits<__half>(cusim_narrow_nan);
  return cusim_from_bits<__half>(__builtin_bit_cast(uint16_t, static_cast<CusimFloat16>(x)));
}
// Opaque to g++, which would compare two such floats as _Float16 by a library call.
CUSIM_INLINE float CusimNarrow<__half>::widen(__half x) noexcept {
  return cusim_opaque(static_cast<float>(__builtin_bit_cast(CusimFloat16, cusim_bits(x))));
}
#else
CUSIM_INLINE __half CusimNarrow<__half>::nearest(float x) noexcept {
  return cusim_round<__half>(x, CUSIM_NEAREST);
}
// The significand is in place and the exponent too small by 112: a product corrects both, also for
// subnormal numbers.
CUSIM_INLINE float CusimNarrow<__half>::widen(__half x) noexcept {
  const unsigned bits = cusim_bits(x), size = bits & 0x7fff;
  const float scaled = __uint_as_float(size << 13) * 0x1p112f;
  const unsigned wide = size >= 0x7c00 ? 0x7f800000u | size << 13 : __float_as_uint(scaled);
  return __uint_as_float(wide | (bits & 0x8000) << 16);
}
#endif

#include "cusim/narrow_functions.h"
#include "cusim/narrow_math.h"
#include "cusim/narrow_pairs.h"
#undef CUSIM_N
#undef CUSIM_T2
#undef CUSIM_T

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bffu))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00u))
