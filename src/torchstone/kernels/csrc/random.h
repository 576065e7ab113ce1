// Counter-based random numbers: each one is computed independently of the others.
#pragma once

#include "lanes.h"

namespace torchstone::KERNELS_ISA {

// The first word of Philox2x32-10 for the counters (low, high), under a key.
//
// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011, section 3.3.
inline uint32_t philox(uint32_t low, uint32_t high, uint32_t key) {
    for (int round = 0; round < 10; round++) {
        const uint64_t product = uint64_t{0xD256D193u} * low;
        low = static_cast<uint32_t>(product >> 32) ^ key ^ high;
        high = static_cast<uint32_t>(product);
        key += 0x9E3779B9u;
    }
    return low;
}

// The same for `count` counters (low, first), (low, first + 1), and so on, in a vectorizable loop.
inline void philox_row(uint32_t low, uint32_t first, uint32_t key, uint32_t* out, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        out[i] = philox(low, first + static_cast<uint32_t>(i), key);
    }
}

}  // namespace torchstone::KERNELS_ISA
