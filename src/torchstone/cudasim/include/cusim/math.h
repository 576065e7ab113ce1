// Device mathematics: the functions that CUDA has at global scope, for float and for double.
//
// The C++ library's <math.h> declares the float overloads of sin, exp, pow, isnan, ... there. Every
// function here is noexcept: newer C libraries declare some of these names themselves (rsqrt,
// sinpi), and then the declarations must match.
#pragma once

#include <math.h>

#include "cusim/math_special.h"
#include "cusim/vector_types.h"

// --- minimum and maximum -------------------------------------------------------------------------

// The other operand is returned for a NaN, and +0 is larger than -0. The C library's functions do
// the same, but without -ffinite-math-only the compiler calls them, which dominates the time of a
// softmax.
#define CUSIM_EXTREMA(T, fmax, fmin)                                            \
  CUSIM_INLINE T fmax(T a, T b) noexcept {                                      \
    const bool second = a < b || a != a || (a == b && __builtin_signbit(a));    \
    return second ? b : a;                                                      \
  }                                                                             \
  CUSIM_INLINE T fmin(T a, T b) noexcept {                                      \
    const bool second = b < a || a != a || (a == b && __builtin_signbit(b));    \
    return second ? b : a;                                                      \
  }

CUSIM_EXTREMA(float, fmaxf, fminf)
CUSIM_EXTREMA(double, fmax, fmin)
#undef CUSIM_EXTREMA

// As in C, a signed and an unsigned operand of one width are converted to the unsigned type. The
// overloads are those of CUDA, so that calls ambiguous there, such as max(1, 2.0f), are ambiguous
// here.
#define CUSIM_MIN_MAX(R, A, B)                     \
  CUSIM_INLINE R max(A a, B b) noexcept {          \
    return static_cast<R>(static_cast<R>(a) < static_cast<R>(b) ? b : a); \
  }                                                \
  CUSIM_INLINE R min(A a, B b) noexcept {          \
    return static_cast<R>(static_cast<R>(b) < static_cast<R>(a) ? b : a); \
  }
#define CUSIM_MIN_MAX_WIDTH(S, U) \
  CUSIM_MIN_MAX(S, S, S)          \
  CUSIM_MIN_MAX(U, U, U)          \
  CUSIM_MIN_MAX(U, S, U)          \
  CUSIM_MIN_MAX(U, U, S)

CUSIM_MIN_MAX_WIDTH(int, unsigned)
CUSIM_MIN_MAX_WIDTH(long, unsigned long)
CUSIM_MIN_MAX_WIDTH(long long, unsigned long long)
#undef CUSIM_MIN_MAX_WIDTH
#undef CUSIM_MIN_MAX

CUSIM_INLINE float max(float a, float b) noexcept { return fmaxf(a, b); }
CUSIM_INLINE float min(float a, float b) noexcept { return fminf(a, b); }
CUSIM_INLINE double max(double a, double b) noexcept { return fmax(a, b); }
CUSIM_INLINE double min(double a, double b) noexcept { return fmin(a, b); }
CUSIM_INLINE double max(float a, double b) noexcept { return fmax(double(a), b); }
CUSIM_INLINE double min(float a, double b) noexcept { return fmin(double(a), b); }
CUSIM_INLINE double max(double a, float b) noexcept { return fmax(a, double(b)); }
CUSIM_INLINE double min(double a, float b) noexcept { return fmin(a, double(b)); }

CUSIM_INLINE unsigned umin(unsigned a, unsigned b) noexcept { return min(a, b); }
CUSIM_INLINE unsigned umax(unsigned a, unsigned b) noexcept { return max(a, b); }
CUSIM_INLINE long long llmin(long long a, long long b) noexcept { return min(a, b); }
CUSIM_INLINE long long llmax(long long a, long long b) noexcept { return max(a, b); }
CUSIM_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) noexcept {
  return min(a, b);
}
CUSIM_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) noexcept {
  return max(a, b);
}

// --- roots, powers and norms --------------------------------------------------------------------

CUSIM_INLINE float rsqrtf(float x) noexcept { return 1.0f / sqrtf(x); }
CUSIM_INLINE double rsqrt(double x) noexcept { return 1.0 / ::sqrt(x); }
CUSIM_INLINE float rsqrt(float x) noexcept { return rsqrtf(x); }
CUSIM_INLINE float rcbrtf(float x) noexcept { return 1.0f / cbrtf(x); }
// The C library's cube root has an error of one ulp, so one step of Newton's method follows.
inline double rcbrt(double x) noexcept {
  const double estimate = 1.0 / ::cbrt(x);
  const double rest = ::fma(-(x * estimate * estimate), estimate, 1.0);
  const double better = estimate + estimate * rest / 3;
  return isfinite(better) ? better : estimate;
}
CUSIM_INLINE float rcbrt(float x) noexcept { return rcbrtf(x); }
CUSIM_INLINE float fdividef(float x, float y) noexcept { return x / y; }
CUSIM_INLINE float exp10(float x) noexcept { return exp10f(x); }

// hypot of hypot: an infinity takes precedence over a NaN in each of them.
CUSIM_INLINE double norm3d(double a, double b, double c) noexcept {
  return ::hypot(::hypot(a, b), c);
}
// Squares of floats cannot overflow in double, nor does their sum lose bits significant in float.
CUSIM_INLINE float norm3df(float a, float b, float c) noexcept {
  if (isinf(a) || isinf(b) || isinf(c)) return HUGE_VALF;
  return float(::sqrt(double(a) * a + double(b) * b + double(c) * c));
}
CUSIM_INLINE double norm4d(double a, double b, double c, double d) noexcept {
  return ::hypot(::hypot(a, b), ::hypot(c, d));
}
CUSIM_INLINE float norm4df(float a, float b, float c, float d) noexcept {
  if (isinf(a) || isinf(b) || isinf(c) || isinf(d)) return HUGE_VALF;
  return float(::sqrt(double(a) * a + double(b) * b + double(c) * c + double(d) * d));
}
inline double norm(int dim, const double* p) noexcept {
  double length = 0;
  for (int i = 0; i < dim; ++i) length = ::hypot(length, p[i]);
  return length;
}
inline float normf(int dim, const float* p) noexcept {
  double sum = 0;
  bool infinite = false;
  for (int i = 0; i < dim; ++i) {
    sum += double(p[i]) * p[i];
    infinite |= bool(isinf(p[i]));
  }
  return infinite ? HUGE_VALF : float(::sqrt(sum));
}

CUSIM_INLINE double rhypot(double a, double b) noexcept { return 1.0 / ::hypot(a, b); }
CUSIM_INLINE float rhypotf(float a, float b) noexcept {
  return float(1.0 / ::hypot(double(a), double(b)));
}
CUSIM_INLINE double rnorm3d(double a, double b, double c) noexcept { return 1.0 / norm3d(a, b, c); }
CUSIM_INLINE float rnorm3df(float a, float b, float c) noexcept {
  return float(1.0 / norm3d(a, b, c));
}
CUSIM_INLINE double rnorm4d(double a, double b, double c, double d) noexcept {
  return 1.0 / norm4d(a, b, c, d);
}
CUSIM_INLINE float rnorm4df(float a, float b, float c, float d) noexcept {
  return float(1.0 / norm4d(a, b, c, d));
}
CUSIM_INLINE double rnorm(int dim, const double* p) noexcept { return 1.0 / norm(dim, p); }
CUSIM_INLINE float rnormf(int dim, const float* p) noexcept { return 1.0f / normf(dim, p); }

// --- sines and cosines --------------------------------------------------------------------------

CUSIM_INLINE void sincos(float x, float* sine, float* cosine) noexcept {
  sincosf(x, sine, cosine);
}
CUSIM_INLINE double sinpi(double x) noexcept { return cusim_sin_cos_pi(x).sine; }
CUSIM_INLINE double cospi(double x) noexcept { return cusim_sin_cos_pi(x).cosine; }
CUSIM_INLINE void sincospi(double x, double* sine, double* cosine) noexcept {
  const CusimSinCos both = cusim_sin_cos_pi(x);
  *sine = both.sine;
  *cosine = both.cosine;
}
CUSIM_INLINE float sinpif(float x) noexcept { return float(sinpi(double(x))); }
CUSIM_INLINE float cospif(float x) noexcept { return float(cospi(double(x))); }
CUSIM_INLINE void sincospif(float x, float* sine, float* cosine) noexcept {
  const CusimSinCos both = cusim_sin_cos_pi(x);
  *sine = float(both.sine);
  *cosine = float(both.cosine);
}
CUSIM_INLINE float sinpi(float x) noexcept { return sinpif(x); }
CUSIM_INLINE float cospi(float x) noexcept { return cospif(x); }
CUSIM_INLINE void sincospi(float x, float* sine, float* cosine) noexcept {
  sincospif(x, sine, cosine);
}

// --- special functions: the double ones are in math_special.h -----------------------------------

#define CUSIM_FLOAT_FORM(name, namef)                                             \
  CUSIM_INLINE float namef(float x) noexcept { return float(name(double(x))); }   \
  CUSIM_INLINE float name(float x) noexcept { return float(name(double(x))); }

CUSIM_FLOAT_FORM(erfcx, erfcxf)
CUSIM_FLOAT_FORM(erfinv, erfinvf)
CUSIM_FLOAT_FORM(erfcinv, erfcinvf)
CUSIM_FLOAT_FORM(normcdf, normcdff)
CUSIM_FLOAT_FORM(normcdfinv, normcdfinvf)
CUSIM_FLOAT_FORM(cyl_bessel_i0, cyl_bessel_i0f)
CUSIM_FLOAT_FORM(cyl_bessel_i1, cyl_bessel_i1f)
#undef CUSIM_FLOAT_FORM

CUSIM_INLINE float j0(float x) noexcept { return j0f(x); }
CUSIM_INLINE float j1(float x) noexcept { return j1f(x); }
CUSIM_INLINE float jn(int n, float x) noexcept { return jnf(n, x); }
CUSIM_INLINE float y0(float x) noexcept { return y0f(x); }
CUSIM_INLINE float y1(float x) noexcept { return y1f(x); }
CUSIM_INLINE float yn(int n, float x) noexcept { return ynf(n, x); }
