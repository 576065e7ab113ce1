// Conversions, arithmetic and comparisons of one 16-bit type. Included once per type, with the
// names of narrow_type.h. Without an include guard, on purpose.

// --- from and to float, double and the bits -----------------------------------------------------

CUSIM_INLINE float CUSIM_JOIN(__, CUSIM_N, 2float)(CUSIM_T x) noexcept {
  return CusimNarrow<CUSIM_T>::widen(x);
}
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__float2, CUSIM_N, )(float x) noexcept {
  return cusim_nearest<CUSIM_T>(x);
}
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__double2, CUSIM_N, )(double x) noexcept {
  return cusim_nearest<CUSIM_T>(x);
}
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__float2, CUSIM_N, _rn)(float x) noexcept {
  return cusim_nearest<CUSIM_T>(x);
}
inline CUSIM_T CUSIM_JOIN(__float2, CUSIM_N, _rz)(float x) noexcept {
  return cusim_round<CUSIM_T>(x, CUSIM_TO_ZERO);
}
inline CUSIM_T CUSIM_JOIN(__float2, CUSIM_N, _ru)(float x) noexcept {
  return cusim_round<CUSIM_T>(x, CUSIM_UPWARD);
}
inline CUSIM_T CUSIM_JOIN(__float2, CUSIM_N, _rd)(float x) noexcept {
  return cusim_round<CUSIM_T>(x, CUSIM_DOWNWARD);
}
CUSIM_INLINE short CUSIM_JOIN(__, CUSIM_N, _as_short)(CUSIM_T x) noexcept {
  return short(cusim_bits(x));
}
CUSIM_INLINE unsigned short CUSIM_JOIN(__, CUSIM_N, _as_ushort)(CUSIM_T x) noexcept {
  return cusim_bits(x);
}
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__short_as_, CUSIM_N, )(short x) noexcept {
  return cusim_from_bits<CUSIM_T>(unsigned(x));
}
CUSIM_INLINE CUSIM_T CUSIM_JOIN(__ushort_as_, CUSIM_N, )(unsigned short x) noexcept {
  return cusim_from_bits<CUSIM_T>(x);
}

// --- from and to integers -----------------------------------------------------------------------

// `wide` converts the integer to a double that rounds as the integer does.
#define CUSIM_FROM_INTEGER(I, name, wide)                                          \
  CUSIM_INLINE CUSIM_T CUSIM_JOIN(__##name##2, CUSIM_N, _rn)(I x) noexcept {       \
    return cusim_nearest<CUSIM_T>(wide(x));                                        \
  }                                                                                \
  inline CUSIM_T CUSIM_JOIN(__##name##2, CUSIM_N, _rz)(I x) noexcept {             \
    return cusim_round<CUSIM_T>(wide(x), CUSIM_TO_ZERO);                           \
  }                                                                                \
  inline CUSIM_T CUSIM_JOIN(__##name##2, CUSIM_N, _ru)(I x) noexcept {             \
    return cusim_round<CUSIM_T>(wide(x), CUSIM_UPWARD);                            \
  }                                                                                \
  inline CUSIM_T CUSIM_JOIN(__##name##2, CUSIM_N, _rd)(I x) noexcept {             \
    return cusim_round<CUSIM_T>(wide(x), CUSIM_DOWNWARD);                          \
  }
#define CUSIM_TO_INTEGER(I, name)                                                  \
  CUSIM_INLINE I CUSIM_JOIN(__, CUSIM_N, 2##name##_rn)(CUSIM_T x) noexcept {       \
    return cusim_to_integer<I>(std::rint(float(x)));                               \
  }                                                                                \
  CUSIM_INLINE I CUSIM_JOIN(__, CUSIM_N, 2##name##_rz)(CUSIM_T x) noexcept {       \
    return cusim_to_integer<I>(std::trunc(float(x)));                              \
  }                                                                                \
  CUSIM_INLINE I CUSIM_JOIN(__, CUSIM_N, 2##name##_ru)(CUSIM_T x) noexcept {       \
    return cusim_to_integer<I>(std::ceil(float(x)));                               \
  }                                                                                \
  CUSIM_INLINE I CUSIM_JOIN(__, CUSIM_N, 2##name##_rd)(CUSIM_T x) noexcept {       \
    return cusim_to_integer<I>(std::floor(float(x)));                              \
  }

CUSIM_INLINE CUSIM_T::operator float() const noexcept {
  return CusimNarrow<CUSIM_T>::widen(*this);
}
CUSIM_FROM_INTEGER(short, short, double)
CUSIM_FROM_INTEGER(unsigned short, ushort, double)
CUSIM_FROM_INTEGER(int, int, double)
CUSIM_FROM_INTEGER(unsigned, uint, double)
CUSIM_FROM_INTEGER(long long, ll, cusim_wide)
CUSIM_FROM_INTEGER(unsigned long long, ull, cusim_wide)
CUSIM_TO_INTEGER(short, short)
CUSIM_TO_INTEGER(unsigned short, ushort)
CUSIM_TO_INTEGER(int, int)
CUSIM_TO_INTEGER(unsigned, uint)
CUSIM_TO_INTEGER(long long, ll)
CUSIM_TO_INTEGER(unsigned long long, ull)
CUSIM_INLINE signed char CUSIM_JOIN(__, CUSIM_N, 2char_rz)(CUSIM_T x) noexcept {
  return cusim_to_integer<signed char>(std::trunc(float(x)));
}
CUSIM_INLINE unsigned char CUSIM_JOIN(__, CUSIM_N, 2uchar_rz)(CUSIM_T x) noexcept {
  return cusim_to_integer<unsigned char>(std::trunc(float(x)));
}
#undef CUSIM_FROM_INTEGER
#undef CUSIM_TO_INTEGER

#define CUSIM_CONSTRUCTOR(F, wide) \
  CUSIM_INLINE CUSIM_T::CUSIM_T(F x) noexcept : CUSIM_T(cusim_nearest<CUSIM_T>(wide(x))) {}
CUSIM_CONSTRUCTOR(float, )
CUSIM_CONSTRUCTOR(double, )
CUSIM_CONSTRUCTOR(short, double)
CUSIM_CONSTRUCTOR(unsigned short, double)
CUSIM_CONSTRUCTOR(int, double)
CUSIM_CONSTRUCTOR(unsigned, double)
CUSIM_CONSTRUCTOR(long long, cusim_wide)
CUSIM_CONSTRUCTOR(unsigned long long, cusim_wide)
#undef CUSIM_CONSTRUCTOR
CUSIM_INLINE CUSIM_T::CUSIM_T(long x) noexcept : CUSIM_T(static_cast<long long>(x)) {}
CUSIM_INLINE CUSIM_T::CUSIM_T(unsigned long x) noexcept
    : CUSIM_T(static_cast<unsigned long long>(x)) {}

#define CUSIM_CONVERSION(I)                                \
  CUSIM_INLINE CUSIM_T::operator I() const noexcept {      \
    return cusim_to_integer<I>(std::trunc(float(*this)));  \
  }
CUSIM_CONVERSION(char)
CUSIM_CONVERSION(signed char)
CUSIM_CONVERSION(unsigned char)
CUSIM_CONVERSION(short)
CUSIM_CONVERSION(unsigned short)
CUSIM_CONVERSION(int)
CUSIM_CONVERSION(unsigned)
CUSIM_CONVERSION(long)
CUSIM_CONVERSION(unsigned long)
CUSIM_CONVERSION(long long)
CUSIM_CONVERSION(unsigned long long)
#undef CUSIM_CONVERSION

// --- arithmetic: one rounding -------------------------------------------------------------------

// Clamps to [0, 1]; NaN becomes 0.
CUSIM_INLINE CUSIM_T cusim_saturate(CUSIM_T x) noexcept {
  const float value = float(x);
  return value >= 1.0f ? CUSIM_T(1.0f) : value > 0.0f ? x : CUSIM_T(0.0f);
}
CUSIM_INLINE CUSIM_T cusim_relu(CUSIM_T x) noexcept {
  return float(x) <= 0.0f ? cusim_from_bits<CUSIM_T>(0) : x;
}

#define CUSIM_ARITHMETIC(name, F, operator)                                        \
  CUSIM_INLINE CUSIM_T name(CUSIM_T a, CUSIM_T b) noexcept {                       \
    return cusim_nearest<CUSIM_T>(F(float(a)) operator F(float(b)));               \
  }
CUSIM_ARITHMETIC(__hadd, float, +)
CUSIM_ARITHMETIC(__hsub, float, -)
CUSIM_ARITHMETIC(__hmul, CusimNarrow<CUSIM_T>::Wide, *)
CUSIM_ARITHMETIC(__hdiv, CusimNarrow<CUSIM_T>::Wide, /)
#undef CUSIM_ARITHMETIC

CUSIM_INLINE CUSIM_T __hfma(CUSIM_T a, CUSIM_T b, CUSIM_T c) noexcept {
  return cusim_nearest<CUSIM_T>(cusim_fma_to_odd(a, b, c));
}
CUSIM_INLINE CUSIM_T __hfma_sat(CUSIM_T a, CUSIM_T b, CUSIM_T c) noexcept {
  return cusim_saturate(__hfma(a, b, c));
}
CUSIM_INLINE CUSIM_T __hfma_relu(CUSIM_T a, CUSIM_T b, CUSIM_T c) noexcept {
  return cusim_relu(__hfma(a, b, c));
}
CUSIM_INLINE CUSIM_T __hneg(CUSIM_T x) noexcept {
  return cusim_from_bits<CUSIM_T>(cusim_bits(x) ^ 0x8000u);
}
CUSIM_INLINE CUSIM_T __habs(CUSIM_T x) noexcept {
  return cusim_from_bits<CUSIM_T>(cusim_bits(x) & 0x7fffu);
}

// The _rn variants of sums and products are never contracted to a fused operation; here none is.
#define CUSIM_FORMS(name)                                                                       \
  CUSIM_INLINE CUSIM_T name##_rn(CUSIM_T a, CUSIM_T b) noexcept { return name(a, b); }          \
  CUSIM_INLINE CUSIM_T name##_sat(CUSIM_T a, CUSIM_T b) noexcept {                              \
    return cusim_saturate(name(a, b));                                                          \
  }
CUSIM_FORMS(__hadd)
CUSIM_FORMS(__hsub)
CUSIM_FORMS(__hmul)
#undef CUSIM_FORMS

#define CUSIM_OPERATOR(sign, function)                                         \
  CUSIM_INLINE CUSIM_T operator sign(const CUSIM_T& a, const CUSIM_T& b) {     \
    return function(a, b);                                                     \
  }                                                                            \
  CUSIM_INLINE CUSIM_T& operator sign##=(CUSIM_T& a, const CUSIM_T& b) {       \
    return a = function(a, b);                                                 \
  }
CUSIM_OPERATOR(+, __hadd)
CUSIM_OPERATOR(-, __hsub)
CUSIM_OPERATOR(*, __hmul)
CUSIM_OPERATOR(/, __hdiv)
#undef CUSIM_OPERATOR

CUSIM_INLINE CUSIM_T operator+(const CUSIM_T& x) { return x; }
CUSIM_INLINE CUSIM_T operator-(const CUSIM_T& x) { return __hneg(x); }
CUSIM_INLINE CUSIM_T& operator++(CUSIM_T& x) { return x = __hadd(x, CUSIM_T(1.0f)); }
CUSIM_INLINE CUSIM_T& operator--(CUSIM_T& x) { return x = __hsub(x, CUSIM_T(1.0f)); }
CUSIM_INLINE CUSIM_T operator++(CUSIM_T& x, int) {
  const CUSIM_T before = x;
  ++x;
  return before;
}
CUSIM_INLINE CUSIM_T operator--(CUSIM_T& x, int) {
  const CUSIM_T before = x;
  --x;
  return before;
}

// --- comparisons: with a NaN the ordered are false, the unordered (..u) true --------------------

CUSIM_INLINE bool __hisnan(CUSIM_T x) noexcept {
  return (cusim_bits(x) & 0x7fffu) > cusim_infinity<CUSIM_T>;
}
CUSIM_INLINE int __hisinf(CUSIM_T x) noexcept {
  const unsigned bits = cusim_bits(x);
  return (bits & 0x7fffu) != cusim_infinity<CUSIM_T> ? 0 : (bits >> 15) != 0 ? -1 : 1;
}

#define CUSIM_COMPARISON(name, sign)                                     \
  CUSIM_INLINE bool __h##name(CUSIM_T a, CUSIM_T b) noexcept {           \
    return !__hisnan(a) && !__hisnan(b) && float(a) sign float(b);       \
  }                                                                      \
  CUSIM_INLINE bool __h##name##u(CUSIM_T a, CUSIM_T b) noexcept {        \
    return __hisnan(a) || __hisnan(b) || float(a) sign float(b);         \
  }
CUSIM_COMPARISON(eq, ==)
CUSIM_COMPARISON(ne, !=)
CUSIM_COMPARISON(lt, <)
CUSIM_COMPARISON(le, <=)
CUSIM_COMPARISON(gt, >)
CUSIM_COMPARISON(ge, >=)
#undef CUSIM_COMPARISON

CUSIM_INLINE bool operator==(const CUSIM_T& a, const CUSIM_T& b) { return __heq(a, b); }
CUSIM_INLINE bool operator!=(const CUSIM_T& a, const CUSIM_T& b) { return __hneu(a, b); }
CUSIM_INLINE bool operator<(const CUSIM_T& a, const CUSIM_T& b) { return __hlt(a, b); }
CUSIM_INLINE bool operator<=(const CUSIM_T& a, const CUSIM_T& b) { return __hle(a, b); }
CUSIM_INLINE bool operator>(const CUSIM_T& a, const CUSIM_T& b) { return __hgt(a, b); }
CUSIM_INLINE bool operator>=(const CUSIM_T& a, const CUSIM_T& b) { return __hge(a, b); }

// The other operand is returned for a NaN, except by the _nan variants.
CUSIM_INLINE CUSIM_T __hmax(CUSIM_T a, CUSIM_T b) noexcept {
  return cusim_nearest<CUSIM_T>(fmaxf(float(a), float(b)));
}
CUSIM_INLINE CUSIM_T __hmin(CUSIM_T a, CUSIM_T b) noexcept {
  return cusim_nearest<CUSIM_T>(fminf(float(a), float(b)));
}
CUSIM_INLINE CUSIM_T __hmax_nan(CUSIM_T a, CUSIM_T b) noexcept {
  return __hisnan(a) || __hisnan(b) ? cusim_from_bits<CUSIM_T>(cusim_narrow_nan) : __hmax(a, b);
}
CUSIM_INLINE CUSIM_T __hmin_nan(CUSIM_T a, CUSIM_T b) noexcept {
  return __hisnan(a) || __hisnan(b) ? cusim_from_bits<CUSIM_T>(cusim_narrow_nan) : __hmin(a, b);
}

// --- between the lanes of a warp ----------------------------------------------------------------

#define CUSIM_SHUFFLE(name, operation, Selector)                                            \
  CUSIM_INLINE CUSIM_T name(unsigned mask, CUSIM_T value, Selector selector, int width = 32, \
                            int site = __builtin_LINE()) {                                  \
    return cusim_from_bits<CUSIM_T>(unsigned(                                               \
        cusim_warp(operation, mask, cusim_bits(value), int(selector), width, site)));       \
  }                                                                                         \
  CUSIM_INLINE CUSIM_T2 name(unsigned mask, CUSIM_T2 value, Selector selector, int width = 32, \
                             int site = __builtin_LINE()) {                                 \
    const unsigned bits = __builtin_bit_cast(unsigned, value);                              \
    return __builtin_bit_cast(CUSIM_T2, unsigned(cusim_warp(operation, mask, bits,          \
                                                            int(selector), width, site)));  \
  }
CUSIM_SHUFFLE(__shfl_sync, CUSIM_SHFL_IDX, int)
CUSIM_SHUFFLE(__shfl_up_sync, CUSIM_SHFL_UP, unsigned)
CUSIM_SHUFFLE(__shfl_down_sync, CUSIM_SHFL_DOWN, unsigned)
CUSIM_SHUFFLE(__shfl_xor_sync, CUSIM_SHFL_XOR, int)
#undef CUSIM_SHUFFLE
