// SIMD within a 32-bit word of two or four lanes: __vadd2, __vcmpgtu4, __vimax3_s16x2 and others.
#pragma once

#include <cstdint>

#include "cusim/math.h"
#include "cusim/vector_types.h"

// One operation per lane; the result is truncated to the width of the lane.
template <typename Lane, typename Operation, typename... Words>
CUSIM_INLINE unsigned cusim_lanes(Operation operation, Words... words) noexcept {
  constexpr int bits = 8 * sizeof(Lane);
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += bits) {
    const unsigned lane = unsigned(operation(int(Lane(words >> shift))...));
    result |= (lane & ((1u << bits) - 1)) << shift;
  }
  return result;
}

template <typename Lane>
CUSIM_INLINE int cusim_clamp(int x) noexcept {
  constexpr int low = Lane(-1) < Lane(0) ? -(1 << (8 * sizeof(Lane) - 1)) : 0;
  constexpr int high = low + (1 << (8 * sizeof(Lane))) - 1;
  return x < low ? low : x > high ? high : x;
}

#define CUSIM_UNARY(name, Lane, expression)                                        \
  CUSIM_INLINE unsigned name(unsigned a) noexcept {                                \
    return cusim_lanes<Lane>([](int x) { return expression; }, a);                 \
  }
#define CUSIM_BINARY(name, Lane, expression)                                       \
  CUSIM_INLINE unsigned name(unsigned a, unsigned b) noexcept {                    \
    return cusim_lanes<Lane>([](int x, int y) { return expression; }, a, b);       \
  }
// As a mask of all bits of the lane, or as 1 or 0.
#define CUSIM_COMPARISON(name, width, Lane, operator)                              \
  CUSIM_BINARY(__vcmp##name##width, Lane, x operator y ? -1 : 0)                   \
  CUSIM_BINARY(__vset##name##width, Lane, x operator y ? 1 : 0)
#define CUSIM_DIFFERENCE_SUM(name, Lane)                                           \
  CUSIM_INLINE unsigned name(unsigned a, unsigned b) noexcept {                    \
    unsigned sum = 0;                                                              \
    for (int shift = 0; shift < 32; shift += 8 * int(sizeof(Lane))) {              \
      const int x = Lane(a >> shift), y = Lane(b >> shift);                        \
      sum += unsigned(x < y ? y - x : x - y);                                      \
    }                                                                              \
    return sum;                                                                    \
  }

#define CUSIM_VIDEO(width, S, U)                                                   \
  CUSIM_UNARY(__vabs##width, S, x < 0 ? -x : x)                                    \
  CUSIM_UNARY(__vabsss##width, S, cusim_clamp<S>(x < 0 ? -x : x))                  \
  CUSIM_UNARY(__vneg##width, S, -x)                                                \
  CUSIM_UNARY(__vnegss##width, S, cusim_clamp<S>(-x))                              \
  CUSIM_BINARY(__vadd##width, U, x + y)                                            \
  CUSIM_BINARY(__vaddss##width, S, cusim_clamp<S>(x + y))                          \
  CUSIM_BINARY(__vaddus##width, U, cusim_clamp<U>(x + y))                          \
  CUSIM_BINARY(__vsub##width, U, x - y)                                            \
  CUSIM_BINARY(__vsubss##width, S, cusim_clamp<S>(x - y))                          \
  CUSIM_BINARY(__vsubus##width, U, cusim_clamp<U>(x - y))                          \
  CUSIM_BINARY(__vavgs##width, S, (x + y + (x + y >= 0)) >> 1)                     \
  CUSIM_BINARY(__vavgu##width, U, (x + y + 1) >> 1)                                \
  CUSIM_BINARY(__vhaddu##width, U, (x + y) >> 1)                                   \
  CUSIM_BINARY(__vmaxs##width, S, x < y ? y : x)                                   \
  CUSIM_BINARY(__vmaxu##width, U, x < y ? y : x)                                   \
  CUSIM_BINARY(__vmins##width, S, y < x ? y : x)                                   \
  CUSIM_BINARY(__vminu##width, U, y < x ? y : x)                                   \
  CUSIM_BINARY(__vabsdiffs##width, S, x < y ? y - x : x - y)                       \
  CUSIM_BINARY(__vabsdiffu##width, U, x < y ? y - x : x - y)                       \
  CUSIM_DIFFERENCE_SUM(__vsads##width, S)                                          \
  CUSIM_DIFFERENCE_SUM(__vsadu##width, U)                                          \
  CUSIM_COMPARISON(eq, width, U, ==)                                               \
  CUSIM_COMPARISON(ne, width, U, !=)                                               \
  CUSIM_COMPARISON(gts, width, S, >)                                               \
  CUSIM_COMPARISON(gtu, width, U, >)                                               \
  CUSIM_COMPARISON(ges, width, S, >=)                                              \
  CUSIM_COMPARISON(geu, width, U, >=)                                              \
  CUSIM_COMPARISON(lts, width, S, <)                                               \
  CUSIM_COMPARISON(ltu, width, U, <)                                               \
  CUSIM_COMPARISON(les, width, S, <=)                                              \
  CUSIM_COMPARISON(leu, width, U, <=)

CUSIM_VIDEO(2, int16_t, uint16_t)
CUSIM_VIDEO(4, int8_t, uint8_t)
#undef CUSIM_VIDEO
#undef CUSIM_COMPARISON
#undef CUSIM_DIFFERENCE_SUM
#undef CUSIM_UNARY
#undef CUSIM_BINARY

// --- two or three operands, for dynamic programming ----------------------------------------------

// Sums wrap around as on a GPU, so they are computed in the unsigned type.
#define CUSIM_EXTREMUM(name, extremum)                                                          \
  CUSIM_INLINE int __v##name##3_s32(int a, int b, int c) noexcept {                             \
    return extremum(extremum(a, b), c);                                                         \
  }                                                                                             \
  CUSIM_INLINE unsigned __v##name##3_u32(unsigned a, unsigned b, unsigned c) noexcept {         \
    return extremum(extremum(a, b), c);                                                         \
  }                                                                                             \
  CUSIM_INLINE unsigned __v##name##3_s16x2(unsigned a, unsigned b, unsigned c) noexcept {       \
    return cusim_lanes<int16_t>(                                                                \
        [](int x, int y, int z) { return extremum(extremum(x, y), z); }, a, b, c);              \
  }                                                                                             \
  CUSIM_INLINE unsigned __v##name##3_u16x2(unsigned a, unsigned b, unsigned c) noexcept {       \
    return cusim_lanes<uint16_t>(                                                               \
        [](int x, int y, int z) { return extremum(extremum(x, y), z); }, a, b, c);              \
  }                                                                                             \
  CUSIM_INLINE int __v##name##_s32_relu(int a, int b) noexcept {                                \
    return max(extremum(a, b), 0);                                                              \
  }                                                                                             \
  CUSIM_INLINE unsigned __v##name##_s16x2_relu(unsigned a, unsigned b) noexcept {               \
    return cusim_lanes<int16_t>([](int x, int y) { return max(extremum(x, y), 0); }, a, b);     \
  }                                                                                             \
  CUSIM_INLINE int __v##name##3_s32_relu(int a, int b, int c) noexcept {                        \
    return max(extremum(extremum(a, b), c), 0);                                                 \
  }                                                                                             \
  CUSIM_INLINE unsigned __v##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) noexcept {  \
    return cusim_lanes<int16_t>(                                                                \
        [](int x, int y, int z) { return max(extremum(extremum(x, y), z), 0); }, a, b, c);      \
  }

CUSIM_EXTREMUM(imax, max)
CUSIM_EXTREMUM(imin, min)
#undef CUSIM_EXTREMUM

#define CUSIM_ADD_EXTREMUM(name, extremum)                                                      \
  CUSIM_INLINE int name##_s32(int a, int b, int c) noexcept {                                   \
    return extremum(int(unsigned(a) + unsigned(b)), c);                                         \
  }                                                                                             \
  CUSIM_INLINE int name##_s32_relu(int a, int b, int c) noexcept {                              \
    return max(name##_s32(a, b, c), 0);                                                         \
  }                                                                                             \
  CUSIM_INLINE unsigned name##_u32(unsigned a, unsigned b, unsigned c) noexcept {               \
    return extremum(a + b, c);                                                                  \
  }                                                                                             \
  CUSIM_INLINE unsigned name##_s16x2(unsigned a, unsigned b, unsigned c) noexcept {             \
    return cusim_lanes<int16_t>(                                                                \
        [](int x, int y, int z) { return extremum(int(int16_t(x + y)), z); }, a, b, c);         \
  }                                                                                             \
  CUSIM_INLINE unsigned name##_s16x2_relu(unsigned a, unsigned b, unsigned c) noexcept {        \
    return cusim_lanes<int16_t>(                                                                \
        [](int x, int y, int z) { return max(extremum(int(int16_t(x + y)), z), 0); }, a, b, c); \
  }                                                                                             \
  CUSIM_INLINE unsigned name##_u16x2(unsigned a, unsigned b, unsigned c) noexcept {             \
    return cusim_lanes<uint16_t>(                                                               \
        [](int x, int y, int z) { return extremum(int(uint16_t(x + y)), z); }, a, b, c);        \
  }

CUSIM_ADD_EXTREMUM(__viaddmax, max)
CUSIM_ADD_EXTREMUM(__viaddmin, min)
#undef CUSIM_ADD_EXTREMUM
