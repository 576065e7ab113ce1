// Memory requests of one warp instruction, as defined in the programming guide.
#pragma once

#include <cstdint>

namespace cusim::detect {

struct LaneAccesses {
    uint32_t lanes = 0;
    uintptr_t addresses[32];
};

constexpr unsigned sector_bytes = 32;
constexpr unsigned num_banks = 32;

// The distinct units of that many bytes that the lanes access, in ascending order, and their
// number. An access touches at most two, so there is room for 64.
unsigned list_units(const LaneAccesses& accesses, unsigned size, unsigned unit, uintptr_t* touched);

// The passes of a shared memory access. Lanes that access the same word share it.
struct Passes {
    unsigned needed;
    unsigned at_best;
};
Passes count_passes(const LaneAccesses& accesses, unsigned size);

// The maximum number of lanes that access one address.
unsigned most_on_one_address(const LaneAccesses& accesses);

}  // namespace cusim::detect
