// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, every operation rounded once.
#pragma once

#include "cusim/narrow.h"

struct __nv_bfloat16;
struct __nv_bfloat162;

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

template <>
struct CusimNarrow<__nv_bfloat16> {
  static constexpr int precision = 8, min_exponent = -126, max_exponent = 127;
  static __nv_bfloat16 nearest(float x) noexcept;
  static float widen(__nv_bfloat16 x) noexcept;
  // The exponent range is that of float, so a small product or quotient in float would be rounded
  // twice.
  typedef double Wide;
};

#define CUSIM_T __nv_bfloat16
#define CUSIM_T2 __nv_bfloat162
#define CUSIM_N bfloat16
#include "cusim/narrow_type.h"

CUSIM_INLINE __nv_bfloat16 CusimNarrow<__nv_bfloat16>::nearest(float x) noexcept {
  if (x != x) return cusim_from_bits<__nv_bfloat16>(cusim_narrow_nan);
  unsigned bits = __float_as_uint(x);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  // g++ 12 combines this shift with the opposite one in widen() to a mask, and may drop the mask
  // for a value in a floating-point register. The barrier prevents the combination.
  asm("" : "+r"(bits));
  return cusim_from_bits<__nv_bfloat16>(bits);
}
CUSIM_INLINE float CusimNarrow<__nv_bfloat16>::widen(__nv_bfloat16 x) noexcept {
  return __uint_as_float(unsigned(cusim_bits(x)) << 16);
}

#include "cusim/narrow_functions.h"
#include "cusim/narrow_math.h"
#include "cusim/narrow_pairs.h"
#undef CUSIM_N
#undef CUSIM_T2
#undef CUSIM_T

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7fu))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80u))
