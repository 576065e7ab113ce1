// __pipeline_memcpy_async and others: a copy completes when the thread waits for its commit.
#pragma once

#include "cusim/async_copy.h"

CUSIM_INLINE void __pipeline_memcpy_async(void* to_shared, const void* from_global, size_t size,
                                          size_t zero_fill = 0) {
    using namespace cusim::async_copy;
    if ((size != 4 && size != 8 && size != 16) || zero_fill > size) {
        cusim_assert_fail("__pipeline_memcpy_async copies 4, 8 or 16 bytes, and fills no more with "
                          "zeros", __FILE__, __LINE__, "__pipeline_memcpy_async");
    }
    if (zero_fill != 0) {
        // One store of the full size, as by the instruction.
        const size_t num_read = size - zero_fill;
        alignas(16) char whole[16] = {};
        read_now(whole, from_global, num_read);
        if (size == 16) {
            const uint4 value = *reinterpret_cast<const uint4*>(whole);
            write_later(to_shared, value, from_global, num_read, {});
        } else if (size == 8) {
            const uint2 value = *reinterpret_cast<const uint2*>(whole);
            write_later(to_shared, value, from_global, num_read, {});
        } else {
            const unsigned value = *reinterpret_cast<const unsigned*>(whole);
            write_later(to_shared, value, from_global, num_read, {});
        }
    } else if (size == 16) {
        copy_one<uint4>(to_shared, from_global, {});
    } else if (size == 8) {
        copy_one<uint2>(to_shared, from_global, {});
    } else {
        copy_one<unsigned>(to_shared, from_global, {});
    }
}
CUSIM_INLINE void __pipeline_commit() { cusim_copies_commit(); }
CUSIM_INLINE void __pipeline_wait_prior(size_t prior) { cusim_copies_wait_prior(prior); }
