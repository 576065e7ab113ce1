// Pairs of one 16-bit type: each function applies the scalar function to both halves. Included once
// per type, with the names of narrow_type.h. Without an include guard, on purpose.

// --- construction and access --------------------------------------------------------------------

CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(make_, CUSIM_N, 2)(CUSIM_T x, CUSIM_T y) noexcept {
  return {x, y};
}
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__halves2, CUSIM_N, 2)(CUSIM_T low, CUSIM_T high) noexcept {
  return {low, high};
}
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__float2, CUSIM_N, 2_rn)(float x) noexcept {
  return {CUSIM_T(x), CUSIM_T(x)};
}
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__floats2, CUSIM_N, 2_rn)(float low, float high) noexcept {
  return {CUSIM_T(low), CUSIM_T(high)};
}
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__float22, CUSIM_N, 2_rn)(float2 x) noexcept {
  return {CUSIM_T(x.x), CUSIM_T(x.y)};
}
CUSIM_INLINE float2 CUSIM_JOIN(__, CUSIM_N, 22float2)(CUSIM_T2 x) noexcept {
  return {float(x.x), float(x.y)};
}
CUSIM_INLINE float __low2float(CUSIM_T2 x) noexcept { return float(x.x); }
CUSIM_INLINE float __high2float(CUSIM_T2 x) noexcept { return float(x.y); }
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__low2, CUSIM_N, )(CUSIM_T2 x) noexcept { return x.x; }
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__high2, CUSIM_N, )(CUSIM_T2 x) noexcept { return x.y; }
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__low2, CUSIM_N, 2)(CUSIM_T2 x) noexcept { return {x.x, x.x}; }
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__high2, CUSIM_N, 2)(CUSIM_T2 x) noexcept { return {x.y, x.y}; }
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__lows2, CUSIM_N, 2)(CUSIM_T2 a, CUSIM_T2 b) noexcept {
  return {a.x, b.x};
}
CUSIM_INLINE CUSIM_T2 CUSIM_JOIN(__highs2, CUSIM_N, 2)(CUSIM_T2 a, CUSIM_T2 b) noexcept {
  return {a.y, b.y};
}
CUSIM_INLINE CUSIM_T2 __lowhigh2highlow(CUSIM_T2 x) noexcept { return {x.y, x.x}; }
// These names contain the type twice: __half2half2, __bfloat162bfloat162.
#define CUSIM_TWICE_EXPANDED(name) __##name##2##name##2
#define CUSIM_TWICE(name) CUSIM_TWICE_EXPANDED(name)
CUSIM_INLINE CUSIM_T2 CUSIM_TWICE(CUSIM_N)(CUSIM_T x) noexcept { return {x, x}; }
#undef CUSIM_TWICE
#undef CUSIM_TWICE_EXPANDED

// --- arithmetic ---------------------------------------------------------------------------------

#define CUSIM_PAIR_1(name, one)                                                    \
  CUSIM_INLINE CUSIM_T2 name(CUSIM_T2 a) noexcept { return {one(a.x), one(a.y)}; }
#define CUSIM_PAIR_2(name, one)                                                    \
  CUSIM_INLINE CUSIM_T2 name(CUSIM_T2 a, CUSIM_T2 b) noexcept {                    \
    return {one(a.x, b.x), one(a.y, b.y)};                                         \
  }
#define CUSIM_PAIR_3(name, one)                                                    \
  CUSIM_INLINE CUSIM_T2 name(CUSIM_T2 a, CUSIM_T2 b, CUSIM_T2 c) noexcept {        \
    return {one(a.x, b.x, c.x), one(a.y, b.y, c.y)};                               \
  }
CUSIM_PAIR_2(__hadd2, __hadd)
CUSIM_PAIR_2(__hsub2, __hsub)
CUSIM_PAIR_2(__hmul2, __hmul)
CUSIM_PAIR_2(__h2div, __hdiv)
CUSIM_PAIR_2(__hadd2_rn, __hadd)
CUSIM_PAIR_2(__hsub2_rn, __hsub)
CUSIM_PAIR_2(__hmul2_rn, __hmul)
CUSIM_PAIR_2(__hadd2_sat, __hadd_sat)
CUSIM_PAIR_2(__hsub2_sat, __hsub_sat)
CUSIM_PAIR_2(__hmul2_sat, __hmul_sat)
CUSIM_PAIR_3(__hfma2, __hfma)
CUSIM_PAIR_3(__hfma2_sat, __hfma_sat)
CUSIM_PAIR_3(__hfma2_relu, __hfma_relu)
CUSIM_PAIR_1(__hneg2, __hneg)
CUSIM_PAIR_1(__habs2, __habs)
CUSIM_PAIR_2(__hmax2, __hmax)
CUSIM_PAIR_2(__hmin2, __hmin)
CUSIM_PAIR_2(__hmax2_nan, __hmax_nan)
CUSIM_PAIR_2(__hmin2_nan, __hmin_nan)
#undef CUSIM_PAIR_3
#undef CUSIM_PAIR_2
#undef CUSIM_PAIR_1

// Complex numbers, real part in the low half: a * b + c in four fused operations.
CUSIM_INLINE CUSIM_T2 __hcmadd(CUSIM_T2 a, CUSIM_T2 b, CUSIM_T2 c) noexcept {
  const CUSIM_T real = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
  const CUSIM_T imaginary = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
  return {real, imaginary};
}

#define CUSIM_OPERATOR(sign, function)                                                 \
  CUSIM_INLINE CUSIM_T2 operator sign(const CUSIM_T2& a, const CUSIM_T2& b) {          \
    return function(a, b);                                                             \
  }                                                                                    \
  CUSIM_INLINE CUSIM_T2& operator sign##=(CUSIM_T2& a, const CUSIM_T2& b) {            \
    return a = function(a, b);                                                         \
  }
CUSIM_OPERATOR(+, __hadd2)
CUSIM_OPERATOR(-, __hsub2)
CUSIM_OPERATOR(*, __hmul2)
CUSIM_OPERATOR(/, __h2div)
#undef CUSIM_OPERATOR

CUSIM_INLINE CUSIM_T2 operator+(const CUSIM_T2& x) { return x; }
CUSIM_INLINE CUSIM_T2 operator-(const CUSIM_T2& x) { return __hneg2(x); }
CUSIM_INLINE CUSIM_T2& operator++(CUSIM_T2& x) {
  ++x.x;
  ++x.y;
  return x;
}
CUSIM_INLINE CUSIM_T2& operator--(CUSIM_T2& x) {
  --x.x;
  --x.y;
  return x;
}
CUSIM_INLINE CUSIM_T2 operator++(CUSIM_T2& x, int) {
  const CUSIM_T2 before = x;
  ++x;
  return before;
}
CUSIM_INLINE CUSIM_T2 operator--(CUSIM_T2& x, int) {
  const CUSIM_T2 before = x;
  --x;
  return before;
}

// --- comparisons: as 1.0 and 0.0, as 16-bit masks, or whether both halves hold -------------------

#define CUSIM_COMPARISON(name)                                                         \
  CUSIM_INLINE CUSIM_T2 __h##name##2(CUSIM_T2 a, CUSIM_T2 b) noexcept {                \
    return {CUSIM_T(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                \
            CUSIM_T(__h##name(a.y, b.y) ? 1.0f : 0.0f)};                               \
  }                                                                                    \
  CUSIM_INLINE unsigned __h##name##2_mask(CUSIM_T2 a, CUSIM_T2 b) noexcept {           \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                    \
  CUSIM_INLINE bool __hb##name##2(CUSIM_T2 a, CUSIM_T2 b) noexcept {                   \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                 \
  }
CUSIM_COMPARISON(eq)
CUSIM_COMPARISON(ne)
CUSIM_COMPARISON(lt)
CUSIM_COMPARISON(le)
CUSIM_COMPARISON(gt)
CUSIM_COMPARISON(ge)
CUSIM_COMPARISON(equ)
CUSIM_COMPARISON(neu)
CUSIM_COMPARISON(ltu)
CUSIM_COMPARISON(leu)
CUSIM_COMPARISON(gtu)
CUSIM_COMPARISON(geu)
#undef CUSIM_COMPARISON

CUSIM_INLINE CUSIM_T2 __hisnan2(CUSIM_T2 x) noexcept {
  return {CUSIM_T(__hisnan(x.x) ? 1.0f : 0.0f), CUSIM_T(__hisnan(x.y) ? 1.0f : 0.0f)};
}
CUSIM_INLINE bool operator==(const CUSIM_T2& a, const CUSIM_T2& b) { return __hbeq2(a, b); }
CUSIM_INLINE bool operator!=(const CUSIM_T2& a, const CUSIM_T2& b) { return __hbneu2(a, b); }
CUSIM_INLINE bool operator<(const CUSIM_T2& a, const CUSIM_T2& b) { return __hblt2(a, b); }
CUSIM_INLINE bool operator<=(const CUSIM_T2& a, const CUSIM_T2& b) { return __hble2(a, b); }
CUSIM_INLINE bool operator>(const CUSIM_T2& a, const CUSIM_T2& b) { return __hbgt2(a, b); }
CUSIM_INLINE bool operator>=(const CUSIM_T2& a, const CUSIM_T2& b) { return __hbge2(a, b); }
