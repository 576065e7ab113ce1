// Collective operations of the lanes of a warp.
#pragma once

#include <cstring>
#include <type_traits>

#include "cusim/abi.h"

namespace cusim {
template <class T>
CUSIM_INLINE uint64_t to_bits(T value) {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8,
                  "a shuffle moves values of at most eight bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
CUSIM_INLINE T from_bits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

template <class T>
CUSIM_INLINE T shuffle(int op, unsigned mask, T value, int arg, int width, int site) {
    static_assert(std::is_arithmetic<T>::value,
                  "__shfl_*_sync takes int, unsigned, long, long long, their unsigned forms, "
                  "float, double and half types");
    return from_bits<T>(cusim_warp(op, mask, to_bits(value), arg, width, site));
}
}  // namespace cusim

template <class T>
CUSIM_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
                           int site = __builtin_LINE()) {
    return cusim::shuffle(CUSIM_SHFL_IDX, mask, value, lane, width, site);
}
template <class T>
CUSIM_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                        int site = __builtin_LINE()) {
    return cusim::shuffle(CUSIM_SHFL_UP, mask, value, static_cast<int>(delta), width, site);
}
template <class T>
CUSIM_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                          int site = __builtin_LINE()) {
    return cusim::shuffle(CUSIM_SHFL_DOWN, mask, value, static_cast<int>(delta), width, site);
}
template <class T>
CUSIM_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                         int site = __builtin_LINE()) {
    return cusim::shuffle(CUSIM_SHFL_XOR, mask, value, lanes, width, site);
}

CUSIM_INLINE unsigned __ballot_sync(unsigned mask, int predicate, int site = __builtin_LINE()) {
    return static_cast<unsigned>(cusim_warp(CUSIM_BALLOT, mask, predicate != 0, 0, 32, site));
}
CUSIM_INLINE int __any_sync(unsigned mask, int predicate, int site = __builtin_LINE()) {
    return static_cast<int>(cusim_warp(CUSIM_ANY, mask, predicate != 0, 0, 32, site));
}
CUSIM_INLINE int __all_sync(unsigned mask, int predicate, int site = __builtin_LINE()) {
    return static_cast<int>(cusim_warp(CUSIM_ALL, mask, predicate != 0, 0, 32, site));
}
CUSIM_INLINE int __uni_sync(unsigned mask, int predicate, int site = __builtin_LINE()) {
    return cusim_warp(CUSIM_MATCH_ALL, mask, predicate != 0, 0, 32, site) != 0;
}

template <class T>
CUSIM_INLINE unsigned __match_any_sync(unsigned mask, T value, int site = __builtin_LINE()) {
    static_assert(std::is_arithmetic<T>::value, "__match_any_sync compares numbers");
    return static_cast<unsigned>(
        cusim_warp(CUSIM_MATCH_ANY, mask, cusim::to_bits(value), 0, 32, site));
}
template <class T>
CUSIM_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate,
                                 int site = __builtin_LINE()) {
    static_assert(std::is_arithmetic<T>::value, "__match_all_sync compares numbers");
    const unsigned same = static_cast<unsigned>(
        cusim_warp(CUSIM_MATCH_ALL, mask, cusim::to_bits(value), 0, 32, site));
    *predicate = same != 0;
    return same;
}

CUSIM_INLINE unsigned __activemask(int site = __builtin_LINE()) { return cusim_active(site); }

#define CUSIM_REDUCE(NAME, TYPE, OP)                                                             \
    CUSIM_INLINE TYPE NAME(unsigned mask, TYPE value, int site = __builtin_LINE()) {             \
        return static_cast<TYPE>(                                                                \
            cusim_warp(OP, mask, static_cast<uint32_t>(value), 0, 32, site));                    \
    }
CUSIM_REDUCE(__reduce_add_sync, int, CUSIM_ADD)
CUSIM_REDUCE(__reduce_add_sync, unsigned, CUSIM_ADD)
CUSIM_REDUCE(__reduce_min_sync, int, CUSIM_MIN_S)
CUSIM_REDUCE(__reduce_min_sync, unsigned, CUSIM_MIN_U)
CUSIM_REDUCE(__reduce_max_sync, int, CUSIM_MAX_S)
CUSIM_REDUCE(__reduce_max_sync, unsigned, CUSIM_MAX_U)
CUSIM_REDUCE(__reduce_and_sync, unsigned, CUSIM_AND)
CUSIM_REDUCE(__reduce_or_sync, unsigned, CUSIM_OR)
CUSIM_REDUCE(__reduce_xor_sync, unsigned, CUSIM_XOR)
#undef CUSIM_REDUCE
