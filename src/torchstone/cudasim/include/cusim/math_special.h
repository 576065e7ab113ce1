// CUDA functions that the C library lacks and that need several lines, in double.
#pragma once

#include <cmath>

struct CusimSinCos {
  double sine, cosine;
};

// x = n/2 + t exactly with |t| <= 1/4, so only sin and cos of pi*t are rounded.
inline CusimSinCos cusim_sin_cos_pi(double x) noexcept {
  if (!std::isfinite(x)) return {x - x, x - x};
  const double halves = std::rint(2 * x);
  const double angle = (x - 0.5 * halves) * 3.14159265358979323846;
  const double sine = std::sin(angle), cosine = std::cos(angle);
  switch (static_cast<int>(halves - 4 * std::floor(halves / 4))) {
    case 1:
      return {cosine, angle == 0 ? 0.0 : -sine};
    case 2:
      return {angle == 0 ? std::copysign(0.0, x) : -sine, -cosine};
    case 3:
      return {-cosine, sine + 0.0};
    default:
      return {angle == 0 ? std::copysign(0.0, x) : sine, cosine};
  }
}

// exp(x^2) * erfc(x).
inline double erfcx(double x) noexcept {
  if (x < 25) {
    // The rounding error of x^2 is multiplied by x^2 in the result.
    const double square = x * x;
    const double dropped = std::fma(x, x, -square);
    const double power = std::exp(square);
    return std::isinf(power) ? power : (power + power * dropped) * std::erfc(x);
  }
  // 1 / (x sqrt(pi)) * (1 - 1/(2x^2) + 1*3/(2x^2)^2 - ...): seven terms suffice from 25 on.
  const double step = 0.5 / x / x;
  double sum = 0;
  for (int k = 7; k > 0; --k) sum = -(2 * k - 1) * step * (1 + sum);
  return 0.56418958354775628695 / x * (1 + sum);
}

// z with erfc(z) = y, for 0 < y <= 1: Newton's method on log erfc, which is concave, so that it
// converges from any start and stays accurate where erfc is tiny.
inline double cusim_erfcinv_upper(double y) noexcept {
  const double target = std::log(y);
  double z = y > 0.5 ? 0.88622692545275801365 * (1 - y) : std::sqrt(-target);
  for (int step = 0; step < 30; ++step) {
    const double scaled = erfcx(z);
    const double excess =
        z < 1 ? std::log1p((std::erfc(z) - y) / y) : std::log(scaled) - z * z - target;
    const double change = excess * 0.88622692545275801365 * scaled;
    z += change;
    if (!(std::fabs(change) > 1e-17 + 1e-16 * z)) break;
  }
  return z;
}

inline double erfcinv(double y) noexcept {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return HUGE_VAL;
  if (y == 2) return -HUGE_VAL;
  return y <= 1 ? cusim_erfcinv_upper(y) : -cusim_erfcinv_upper(2 - y);
}

inline double erfinv(double x) noexcept {
  const double size = std::fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 0) return x;
  if (size == 1) return std::copysign(HUGE_VAL, x);
  if (size > 0.5) return std::copysign(cusim_erfcinv_upper(1 - size), x);
  double z = 0.88622692545275801365 * x;
  for (int step = 0; step < 30; ++step) {
    const double change = (x - std::erf(z)) * 0.88622692545275801365 * std::exp(z * z);
    z += change;
    if (!(std::fabs(change) > 1e-17 * std::fabs(z))) break;
  }
  return z;
}

// The normal distribution: half of erfc(-x / sqrt(2)). erfc magnifies the rounding error of the
// quotient in the tails, so the error is corrected through the derivative of erfc.
inline double normcdf(double x) noexcept {
  const double quotient = -0.70710678118654752440 * x;
  const double tail = 0.5 * std::erfc(quotient);
  if (!(std::fabs(quotient) < 27)) return tail;
  const double dropped =
      std::fma(-0.70710678118654752440, x, -quotient) + x * 4.8336466567264567e-17;
  return tail - dropped * 0.56418958354775628695 * std::exp(-quotient * quotient);
}

inline double normcdfinv(double p) noexcept { return -1.41421356237309504880 * erfcinv(2 * p); }

// The modified Bessel functions of order 0 and 1. Near zero, the power series: all terms have one
// sign, so there is no cancellation. Far out, the asymptotic series, because the errors of hundreds
// of terms would accumulate; its terms decrease until the 2x-th, and are negligible long before.
inline double cusim_bessel_i(double x, int order) noexcept {
  if (!(x < 25)) {
    double term = 1, sum = 1;
    for (int k = 1; std::fabs(term) > 1e-17; ++k) {
      term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8.0 * k * x);
      sum += term;
    }
    const double root = std::exp(0.5 * x);
    return std::isinf(x) ? x : root * (root * sum / std::sqrt(6.28318530717958647693 * x));
  }
  const double square = 0.25 * x * x;
  double term = order == 0 ? 1 : 0.5 * x, sum = term;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= square / (k * (k + order));
    sum += term;
  }
  return sum;
}

inline double cyl_bessel_i0(double x) noexcept { return cusim_bessel_i(std::fabs(x), 0); }
inline double cyl_bessel_i1(double x) noexcept {
  return std::copysign(cusim_bessel_i(std::fabs(x), 1), x);
}
