// Asynchronous copies. A copy reads its source when it is issued; in shared memory it completes at
// the wait for it. This is the latest moment allowed on a GPU: a read without a wait finds the old
// contents. To other memory a GPU copies synchronously, and so does this simulator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cusim/abi.h"
#include "cusim/vector_types.h"

namespace cusim {
namespace async_copy {

// The wait that completes a copy: of the issuing thread, or for a phase of a barrier.
struct Awaited {
    const void* key = nullptr;
    unsigned phase = 0;
};

CUSIM_INLINE uintptr_t bits_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

// One deferred write, of the type's size, of the value that was read.
template <class T>
CUSIM_INLINE void write_later(void* to, const T& value, const void* from, size_t num_read,
                              Awaited by) {
    if (bits_of(to) - cusim_shared_base >= cusim_shared_span || bits_of(to) % sizeof(T) != 0) {
        *static_cast<T*>(to) = value;  // executed at once, or invalid
        return;
    }
    uint64_t words[2] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    cusim_copy_begin(to, words[0], words[1], sizeof(T), by.key, by.phase);
#if CUSIM_CHECK
    cusim_copy_source(from, static_cast<unsigned>(num_read));
#else
    static_cast<void>(from);
    static_cast<void>(num_read);
#endif
}

// One access of the type's size on both sides.
template <class T>
CUSIM_INLINE void copy_one(void* to, const void* from, Awaited by) {
    const T value = *static_cast<const T*>(from);
    write_later(to, value, from, sizeof(T), by);
}

// Checks the promises of cuda::aligned_size_t.
template <size_t N>
CUSIM_INLINE void check_alignment(const void* to, const void* from, size_t size) {
    const uintptr_t all = bits_of(to) | bits_of(from) | size;
    if (all % N != 0) {
        cusim_assert_fail("memcpy_async: addresses and size are multiples of the alignment that "
                          "cuda::aligned_size_t promises", __FILE__, __LINE__, "memcpy_async");
    }
}

// The widest access allowed by both addresses and the size.
CUSIM_INLINE size_t width_for(const void* to, const void* from, size_t size) {
    const uintptr_t all = bits_of(to) | bits_of(from) | size;
    return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
}

// The part of a copy that is not zero-filled.
CUSIM_INLINE void read_now(char* whole, const void* from, size_t size) {
    const size_t width = width_for(nullptr, from, size);
    const char* const source = static_cast<const char*>(from);
    for (size_t at = 0; at < size; at += width) {
        if (width == 8) {
            *reinterpret_cast<uint2*>(whole + at) = *reinterpret_cast<const uint2*>(source + at);
        } else if (width == 4) {
            *reinterpret_cast<unsigned*>(whole + at) =
                *reinterpret_cast<const unsigned*>(source + at);
        } else {
            whole[at] = source[at];
        }
    }
}

// The part of a range that thread `rank` of `num_threads` copies: interleaved chunks, as in
// coalesced loads.
CUSIM_INLINE void copy_share(void* to, const void* from, size_t size, size_t rank,
                             size_t num_threads, Awaited by) {
    const size_t width = width_for(to, from, size);
    char* const target = static_cast<char*>(to);
    const char* const source = static_cast<const char*>(from);
    for (size_t at = rank * width; at < size; at += num_threads * width) {
        if (width == 16) {
            copy_one<uint4>(target + at, source + at, by);
        } else if (width == 8) {
            copy_one<uint2>(target + at, source + at, by);
        } else if (width == 4) {
            copy_one<unsigned>(target + at, source + at, by);
        } else {
            copy_one<char>(target + at, source + at, by);
        }
    }
}

}  // namespace async_copy
}  // namespace cusim

// A byte count with a compile-time alignment.
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
