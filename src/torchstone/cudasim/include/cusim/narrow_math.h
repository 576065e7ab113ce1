// Mathematics of one 16-bit type: computed in float, rounded once more. Included once per type,
// with the names of narrow_type.h. Without an include guard, on purpose.

#define CUSIM_FUNCTION(name, expression)                          \
  CUSIM_INLINE CUSIM_T h##name(CUSIM_T value) noexcept {          \
    const float x = float(value);                                 \
    return cusim_nearest<CUSIM_T>(expression);                    \
  }                                                               \
  CUSIM_INLINE CUSIM_T2 h2##name(CUSIM_T2 value) noexcept {       \
    return {h##name(value.x), h##name(value.y)};                  \
  }
CUSIM_FUNCTION(sqrt, std::sqrt(x))
CUSIM_FUNCTION(rsqrt, rsqrtf(x))
CUSIM_FUNCTION(rcp, 1.0f / x)
CUSIM_FUNCTION(exp, expf(x))
CUSIM_FUNCTION(exp2, exp2f(x))
CUSIM_FUNCTION(exp10, exp10f(x))
CUSIM_FUNCTION(log, logf(x))
CUSIM_FUNCTION(log2, log2f(x))
CUSIM_FUNCTION(log10, log10f(x))
CUSIM_FUNCTION(sin, sinf(x))
CUSIM_FUNCTION(cos, cosf(x))
CUSIM_FUNCTION(tanh, tanhf(x))
CUSIM_FUNCTION(tanh_approx, tanhf(x))
CUSIM_FUNCTION(ceil, std::ceil(x))
CUSIM_FUNCTION(floor, std::floor(x))
CUSIM_FUNCTION(trunc, std::trunc(x))
CUSIM_FUNCTION(rint, std::rint(x))
#undef CUSIM_FUNCTION
