// The built-in vector types, with CUDA's sizes and alignments, and their constructors.
#pragma once

// Small functions must be inlined: a call costs more than they do, and kernels use them everywhere.
#ifndef CUSIM_INLINE
#define CUSIM_INLINE inline __attribute__((always_inline))
#endif

// Aggregates, so that `float4{1, 2, 3, 4}` works and copies are trivial. Types of two and four
// elements are aligned for vector access (at most 16 bytes); those of one and three as their
// elements.
#define CUSIM_VECTOR(name, T, align2, align4)                         \
  struct name##1 {                                                    \
    T x;                                                              \
  };                                                                  \
  struct alignas(align2) name##2 {                                    \
    T x, y;                                                           \
  };                                                                  \
  struct name##3 {                                                    \
    T x, y, z;                                                        \
  };                                                                  \
  struct alignas(align4) name##4 {                                    \
    T x, y, z, w;                                                     \
  };                                                                  \
  CUSIM_INLINE constexpr name##1 make_##name##1(T x) { return {x}; }  \
  CUSIM_INLINE constexpr name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                                    \
  }                                                                   \
  CUSIM_INLINE constexpr name##3 make_##name##3(T x, T y, T z) {      \
    return {x, y, z};                                                 \
  }                                                                   \
  CUSIM_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                              \
  }

CUSIM_VECTOR(char, signed char, 2, 4)
CUSIM_VECTOR(uchar, unsigned char, 2, 4)
CUSIM_VECTOR(short, short, 4, 8)
CUSIM_VECTOR(ushort, unsigned short, 4, 8)
CUSIM_VECTOR(int, int, 8, 16)
CUSIM_VECTOR(uint, unsigned, 8, 16)
CUSIM_VECTOR(long, long, 16, 16)
CUSIM_VECTOR(ulong, unsigned long, 16, 16)
CUSIM_VECTOR(longlong, long long, 16, 16)
CUSIM_VECTOR(ulonglong, unsigned long long, 16, 16)
CUSIM_VECTOR(float, float, 8, 16)
CUSIM_VECTOR(double, double, 16, 16)
#undef CUSIM_VECTOR

// Four elements of eight bytes with the alignment in the name, since CUDA 13.
#define CUSIM_VECTOR_ALIGNED(name, T, align)                        \
  struct alignas(align) name {                                      \
    T x, y, z, w;                                                   \
  };                                                                \
  CUSIM_INLINE constexpr name make_##name(T x, T y, T z, T w) {     \
    return {x, y, z, w};                                            \
  }

CUSIM_VECTOR_ALIGNED(long4_16a, long, 16)
CUSIM_VECTOR_ALIGNED(long4_32a, long, 32)
CUSIM_VECTOR_ALIGNED(ulong4_16a, unsigned long, 16)
CUSIM_VECTOR_ALIGNED(ulong4_32a, unsigned long, 32)
CUSIM_VECTOR_ALIGNED(longlong4_16a, long long, 16)
CUSIM_VECTOR_ALIGNED(longlong4_32a, long long, 32)
CUSIM_VECTOR_ALIGNED(ulonglong4_16a, unsigned long long, 16)
CUSIM_VECTOR_ALIGNED(ulonglong4_32a, unsigned long long, 32)
CUSIM_VECTOR_ALIGNED(double4_16a, double, 16)
CUSIM_VECTOR_ALIGNED(double4_32a, double, 32)
#undef CUSIM_VECTOR_ALIGNED

// The dimensions of a launch; omitted ones are one.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace cusim {
template <class T>
struct same {
    using type = T;
};

// Braced initializers are rewritten to one of these (wholes.py), so that they are stored by one
// access.
template <class T>
CUSIM_INLINE constexpr T whole(const T& value) {
    return value;
}
template <class T>
CUSIM_INLINE constexpr void assign(T& to, const typename same<T>::type& value) {
    to = value;
}
}  // namespace cusim
