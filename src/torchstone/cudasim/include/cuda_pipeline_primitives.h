// __pipeline_memcpy_async and its kin. A copy is done where it is asked for.
#pragma once

#include "cusim/async_copy.h"

CUSIM_INLINE void __pipeline_memcpy_async(void* to_shared, const void* from_global, size_t size,
                                          size_t zero_fill = 0) {
    if ((size != 4 && size != 8 && size != 16) || zero_fill > size) {
        cusim_assert_fail("__pipeline_memcpy_async copies 4, 8 or 16 bytes, and fills no more with "
                          "zeros", __FILE__, __LINE__, "__pipeline_memcpy_async");
    }
    if (zero_fill != 0) {
        // One store of the full size, as the instruction does it.
        uint4 whole{};
        cusim::async_copy::copy_share(&whole, from_global, size - zero_fill, 0, 1);
        return cusim::async_copy::copy_exactly(to_shared, &whole, size);
    }
    cusim::async_copy::copy_exactly(to_shared, from_global, size);
}
CUSIM_INLINE void __pipeline_commit() {}
CUSIM_INLINE void __pipeline_wait_prior(size_t) {}
