// Asynchronous copies, done at once. Of what a card may do that is the earliest: a program that
// reads before it waits is found only where other threads read, as a race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cusim/abi.h"
#include "cusim/vector_types.h"

namespace cusim {
namespace async_copy {

CUSIM_INLINE uintptr_t bits_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

// One access of the type's size on both sides.
template <class T>
CUSIM_INLINE void copy_one(void* to, const void* from) {
    *static_cast<T*>(to) = *static_cast<const T*>(from);
}

// What cuda::aligned_size_t promises is held to.
template <size_t N>
CUSIM_INLINE void check_alignment(const void* to, const void* from, size_t size) {
    const uintptr_t all = bits_of(to) | bits_of(from) | size;
    if (all % N != 0) {
        cusim_assert_fail("memcpy_async: addresses and size are multiples of the alignment that "
                          "cuda::aligned_size_t promises", __FILE__, __LINE__, "memcpy_async");
    }
}

// One access of 4, 8 or 16 bytes: both addresses have to be aligned to it.
CUSIM_INLINE void copy_exactly(void* to, const void* from, size_t size) {
    if (size == 16) {
        copy_one<uint4>(to, from);
    } else if (size == 8) {
        copy_one<uint2>(to, from);
    } else {
        copy_one<unsigned>(to, from);
    }
}

// The widest access that both addresses and the size allow.
CUSIM_INLINE size_t width_for(const void* to, const void* from, size_t size) {
    const uintptr_t all = bits_of(to) | bits_of(from) | size;
    return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
}

// What thread `rank` of `num_threads` copies of a range: chunks in turn, as coalesced loads do.
CUSIM_INLINE void copy_share(void* to, const void* from, size_t size, size_t rank,
                             size_t num_threads) {
    const size_t width = width_for(to, from, size);
    char* const target = static_cast<char*>(to);
    const char* const source = static_cast<const char*>(from);
    for (size_t at = rank * width; at < size; at += num_threads * width) {
        if (width == 16) {
            copy_one<uint4>(target + at, source + at);
        } else if (width == 8) {
            copy_one<uint2>(target + at, source + at);
        } else if (width == 4) {
            copy_one<unsigned>(target + at, source + at);
        } else {
            target[at] = source[at];
        }
    }
}

}  // namespace async_copy
}  // namespace cusim

// A count of bytes of which the alignment is known when the program is compiled.
namespace cuda {
template <size_t N>
struct aligned_size_t {
    static_assert(N != 0 && (N & (N - 1)) == 0, "an alignment is a power of two");
    static constexpr size_t align = N;
    size_t value;
    explicit constexpr aligned_size_t(size_t size) : value(size) {}
    constexpr operator size_t() const { return value; }
};
}  // namespace cuda
