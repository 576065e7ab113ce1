// The intrinsics of device code: fast mathematics, casts, bits, integer products, cached accesses.
//
// Fast mathematics on a GPU is a few bits less accurate than here; a program must not depend on
// these exact bits. Special cases are those of a GPU.
#pragma once

#include <cstdint>

#include "cusim/math.h"
#include "cusim/rounding.h"
#include "cusim/vector_types.h"
#include "cusim/video.h"

// --- fast mathematics ---------------------------------------------------------------------------

CUSIM_INLINE float __expf(float x) noexcept { return expf(x); }
CUSIM_INLINE float __exp10f(float x) noexcept { return exp10f(x); }
CUSIM_INLINE float __logf(float x) noexcept { return logf(x); }
CUSIM_INLINE float __log2f(float x) noexcept { return log2f(x); }
CUSIM_INLINE float __log10f(float x) noexcept { return log10f(x); }
CUSIM_INLINE float __sinf(float x) noexcept { return sinf(x); }
CUSIM_INLINE float __cosf(float x) noexcept { return cosf(x); }
CUSIM_INLINE float __tanf(float x) noexcept { return tanf(x); }
CUSIM_INLINE float __tanhf(float x) noexcept { return tanhf(x); }
CUSIM_INLINE void __sincosf(float x, float* sine, float* cosine) noexcept {
  sincosf(x, sine, cosine);
}
// Defined by this formula: NaN for a negative base and for 0^0, unlike powf.
CUSIM_INLINE float __powf(float x, float y) noexcept { return exp2f(y * log2f(x)); }
// The GPU multiplies by a reciprocal that underflows: 0 for a divisor above 2^126, NaN for inf/it.
CUSIM_INLINE float __fdividef(float x, float y) noexcept {
  const float size = fabsf(y);
  return size > 0x1p126f && !isinf(size) ? x * copysignf(0.0f, y) : x / y;
}
CUSIM_INLINE float __saturatef(float x) noexcept { return fminf(fmaxf(x, 0.0f), 1.0f); }

// --- bits of one type as another ----------------------------------------------------------------

CUSIM_INLINE int __float_as_int(float x) noexcept { return __builtin_bit_cast(int, x); }
CUSIM_INLINE unsigned __float_as_uint(float x) noexcept { return __builtin_bit_cast(unsigned, x); }
CUSIM_INLINE float __int_as_float(int x) noexcept { return __builtin_bit_cast(float, x); }
CUSIM_INLINE float __uint_as_float(unsigned x) noexcept { return __builtin_bit_cast(float, x); }
CUSIM_INLINE long long __double_as_longlong(double x) noexcept {
  return __builtin_bit_cast(long long, x);
}
CUSIM_INLINE double __longlong_as_double(long long x) noexcept {
  return __builtin_bit_cast(double, x);
}
CUSIM_INLINE int __double2hiint(double x) noexcept { return int(__double_as_longlong(x) >> 32); }
CUSIM_INLINE int __double2loint(double x) noexcept { return int(__double_as_longlong(x)); }
CUSIM_INLINE double __hiloint2double(int hi, int lo) noexcept {
  return __longlong_as_double((long long)((unsigned long long)unsigned(hi) << 32 | unsigned(lo)));
}

// --- counting and moving bits -------------------------------------------------------------------

CUSIM_INLINE int __popc(unsigned x) noexcept { return __builtin_popcount(x); }
CUSIM_INLINE int __popcll(unsigned long long x) noexcept { return __builtin_popcountll(x); }
CUSIM_INLINE int __clz(int x) noexcept { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
CUSIM_INLINE int __clzll(long long x) noexcept {
  return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
CUSIM_INLINE int __ffs(int x) noexcept { return __builtin_ffs(x); }
CUSIM_INLINE int __ffsll(long long x) noexcept { return __builtin_ffsll(x); }
CUSIM_INLINE unsigned __brev(unsigned x) noexcept {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
CUSIM_INLINE unsigned long long __brevll(unsigned long long x) noexcept {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
// Each of the four low hex digits of the selector selects one of eight bytes; its fourth bit is
// ignored.
CUSIM_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) noexcept {
  const uint64_t bytes = uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= unsigned(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  }
  return result;
}
CUSIM_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) noexcept {
  return unsigned((uint64_t(hi) << 32 | lo) << (shift & 31) >> 32);
}
CUSIM_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) noexcept {
  return unsigned((uint64_t(hi) << 32 | lo) >> (shift & 31));
}
CUSIM_INLINE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) noexcept {
  return unsigned((uint64_t(hi) << 32 | lo) << (shift < 32 ? shift : 32) >> 32);
}
CUSIM_INLINE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) noexcept {
  return unsigned((uint64_t(hi) << 32 | lo) >> (shift < 32 ? shift : 32));
}
// The position of the offset-th set bit from base on, upwards or (offset < 0) downwards; -1: none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) noexcept {
  const int step = offset < 0 ? -1 : 1;
  int left = offset < 0 ? -offset : offset;
  if (left == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
  for (int i = int(base); i >= 0 && i < 32; i += step) {
    if ((mask >> i & 1) && --left == 0) return unsigned(i);
  }
  return ~0u;
}

// --- integer products, means and differences ----------------------------------------------------

CUSIM_INLINE int __mulhi(int a, int b) noexcept { return int(int64_t(a) * b >> 32); }
CUSIM_INLINE unsigned __umulhi(unsigned a, unsigned b) noexcept {
  return unsigned(uint64_t(a) * b >> 32);
}
CUSIM_INLINE long long __mul64hi(long long a, long long b) noexcept {
  return (long long)((__int128)a * b >> 64);
}
CUSIM_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) noexcept {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
// Shifting left and back sign-extends the low 24 bits.
CUSIM_INLINE int __mul24(int a, int b) noexcept {
  return int(int64_t(int(unsigned(a) << 8) >> 8) * (int(unsigned(b) << 8) >> 8));
}
CUSIM_INLINE unsigned __umul24(unsigned a, unsigned b) noexcept {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
CUSIM_INLINE unsigned __sad(int a, int b, unsigned sum) noexcept {
  return (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)) + sum;
}
CUSIM_INLINE unsigned __usad(unsigned a, unsigned b, unsigned sum) noexcept {
  return (a < b ? b - a : a - b) + sum;
}
CUSIM_INLINE int __hadd(int a, int b) noexcept { return int((int64_t(a) + b) >> 1); }
CUSIM_INLINE int __rhadd(int a, int b) noexcept { return int((int64_t(a) + b + 1) >> 1); }
CUSIM_INLINE unsigned __uhadd(unsigned a, unsigned b) noexcept {
  return unsigned((uint64_t(a) + b) >> 1);
}
CUSIM_INLINE unsigned __urhadd(unsigned a, unsigned b) noexcept {
  return unsigned((uint64_t(a) + b + 1) >> 1);
}

// --- dot products of four bytes, or of two halves with two of four bytes ------------------------

template <typename Byte, typename Sum, typename Word>
CUSIM_INLINE Sum cusim_dot4(Word a, Word b, Sum sum) noexcept {
  unsigned total = unsigned(sum);
  for (int i = 0; i < 4; ++i) {
    total += unsigned(int(Byte(unsigned(a) >> 8 * i)) * int(Byte(unsigned(b) >> 8 * i)));
  }
  return Sum(total);
}
template <typename Half, typename Byte, typename Sum, typename Word>
CUSIM_INLINE Sum cusim_dot2(Word a, Word b, Sum sum, int first) noexcept {
  unsigned total = unsigned(sum);
  for (int i = 0; i < 2; ++i) {
    const int x = Half(unsigned(a) >> 16 * i), y = Byte(unsigned(b) >> 8 * (first + i));
    total += unsigned(x) * unsigned(y);
  }
  return Sum(total);
}

CUSIM_INLINE int __dp4a(int a, int b, int sum) noexcept { return cusim_dot4<int8_t>(a, b, sum); }
CUSIM_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned sum) noexcept {
  return cusim_dot4<uint8_t>(a, b, sum);
}
CUSIM_INLINE int __dp4a(char4 a, char4 b, int sum) noexcept {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), sum);
}
CUSIM_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) noexcept {
  return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), sum);
}
#define CUSIM_DP2A(name, first)                                                                \
  CUSIM_INLINE int name(int a, int b, int sum) noexcept {                                      \
    return cusim_dot2<int16_t, int8_t>(a, b, sum, first);                                      \
  }                                                                                            \
  CUSIM_INLINE unsigned name(unsigned a, unsigned b, unsigned sum) noexcept {                  \
    return cusim_dot2<uint16_t, uint8_t>(a, b, sum, first);                                    \
  }                                                                                            \
  CUSIM_INLINE int name(short2 a, char4 b, int sum) noexcept {                                 \
    return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), sum);                  \
  }                                                                                            \
  CUSIM_INLINE unsigned name(ushort2 a, uchar4 b, unsigned sum) noexcept {                     \
    return name(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), sum);        \
  }

CUSIM_DP2A(__dp2a_lo, 0)
CUSIM_DP2A(__dp2a_hi, 2)
#undef CUSIM_DP2A

// --- loads and stores that name a cache ---------------------------------------------------------

// One access of the full size: copying a struct would be instrumented as one access per member.
template <unsigned size>
struct CusimWord;
template <>
struct CusimWord<1> {
  typedef uint8_t type __attribute__((may_alias));
};
template <>
struct CusimWord<2> {
  typedef uint16_t type __attribute__((may_alias));
};
template <>
struct CusimWord<4> {
  typedef uint32_t type __attribute__((may_alias));
};
template <>
struct CusimWord<8> {
  typedef uint64_t type __attribute__((may_alias));
};
template <>
struct CusimWord<16> {
  typedef uint32_t type __attribute__((may_alias, vector_size(16)));
};

template <typename T>
CUSIM_INLINE T cusim_load_whole(const T* p) noexcept {
  typedef typename CusimWord<sizeof(T)>::type Word;
  return __builtin_bit_cast(T, *reinterpret_cast<const Word*>(p));
}
template <typename T>
CUSIM_INLINE void cusim_store_whole(T* p, T value) noexcept {
  typedef typename CusimWord<sizeof(T)>::type Word;
  *reinterpret_cast<Word*>(p) = __builtin_bit_cast(Word, value);
}

#define CUSIM_LOAD(name)                     \
  template <typename T>                      \
  CUSIM_INLINE T name(const T* p) noexcept { \
    return cusim_load_whole(p);              \
  }
CUSIM_LOAD(__ldg)
CUSIM_LOAD(__ldca)
CUSIM_LOAD(__ldcg)
CUSIM_LOAD(__ldcs)
CUSIM_LOAD(__ldlu)
CUSIM_LOAD(__ldcv)
#undef CUSIM_LOAD

// The value is not deduced as T: `__stcs(&x, 1)` stores an int in a float.
template <typename T>
struct CusimSame {
  typedef T type;
};
#define CUSIM_STORE(name)                                                      \
  template <typename T>                                                        \
  CUSIM_INLINE void name(T* p, typename CusimSame<T>::type value) noexcept {   \
    cusim_store_whole(p, value);                                               \
  }
CUSIM_STORE(__stwb)
CUSIM_STORE(__stcg)
CUSIM_STORE(__stcs)
CUSIM_STORE(__stwt)
#undef CUSIM_STORE
