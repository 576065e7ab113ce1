// One 16-bit type and its pair. Included once per type: CUSIM_T is the type, CUSIM_T2 the pair,
// CUSIM_N its name in functions (half, bfloat16). Without an include guard, on purpose.

#ifndef CUSIM_JOIN
#define CUSIM_JOIN_EXPANDED(a, b, c) a##b##c
#define CUSIM_JOIN(a, b, c) CUSIM_JOIN_EXPANDED(a, b, c)
#endif

// The conversions are implicit in both directions, as in CUDA: `h + 1.0f` is ambiguous there, and
// must be so here.
struct CUSIM_T {
 protected:
  unsigned short __x;

 public:
  CUSIM_T() = default;
  constexpr CUSIM_T(const CUSIM_JOIN(CUSIM_T, _raw, )& raw) : __x(raw.x) {}
  CUSIM_INLINE CUSIM_T(float x) noexcept;
  CUSIM_INLINE CUSIM_T(double x) noexcept;
  CUSIM_INLINE CUSIM_T(short x) noexcept;
  CUSIM_INLINE CUSIM_T(unsigned short x) noexcept;
  CUSIM_INLINE CUSIM_T(int x) noexcept;
  CUSIM_INLINE CUSIM_T(unsigned x) noexcept;
  CUSIM_INLINE CUSIM_T(long x) noexcept;
  CUSIM_INLINE CUSIM_T(unsigned long x) noexcept;
  CUSIM_INLINE CUSIM_T(long long x) noexcept;
  CUSIM_INLINE CUSIM_T(unsigned long long x) noexcept;

  constexpr operator CUSIM_JOIN(CUSIM_T, _raw, )() const { return {__x}; }
  CUSIM_INLINE operator float() const noexcept;
  CUSIM_INLINE operator char() const noexcept;
  CUSIM_INLINE operator signed char() const noexcept;
  CUSIM_INLINE operator unsigned char() const noexcept;
  CUSIM_INLINE operator short() const noexcept;
  CUSIM_INLINE operator unsigned short() const noexcept;
  CUSIM_INLINE operator int() const noexcept;
  CUSIM_INLINE operator unsigned() const noexcept;
  CUSIM_INLINE operator long() const noexcept;
  CUSIM_INLINE operator unsigned long() const noexcept;
  CUSIM_INLINE operator long long() const noexcept;
  CUSIM_INLINE operator unsigned long long() const noexcept;
  // Both zeros are false, and NaN is true.
  constexpr operator bool() const { return (__x & 0x7fff) != 0; }
};

struct alignas(4) CUSIM_T2 {
  CUSIM_T x, y;
  CUSIM_T2() = default;
  constexpr CUSIM_T2(const CUSIM_T& a, const CUSIM_T& b) : x(a), y(b) {}
  constexpr CUSIM_T2(const CUSIM_JOIN(CUSIM_T2, _raw, )& raw)
      : x(CUSIM_JOIN(CUSIM_T, _raw, ){raw.x}), y(CUSIM_JOIN(CUSIM_T, _raw, ){raw.y}) {}
  constexpr operator CUSIM_JOIN(CUSIM_T2, _raw, )() const {
    return {CUSIM_JOIN(CUSIM_T, _raw, )(x).x, CUSIM_JOIN(CUSIM_T, _raw, )(y).x};
  }
};
