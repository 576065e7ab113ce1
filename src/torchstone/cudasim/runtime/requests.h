// What the memory system does for one instruction of a warp, as the programming guide describes it.
#pragma once

#include <cstdint>

namespace cusim::detect {

struct LaneAccesses {
    uint32_t lanes = 0;
    uintptr_t addresses[32];
};

constexpr unsigned sector_bytes = 32;
constexpr unsigned num_banks = 32;

// The different units of so many bytes that the lanes touch, in ascending order, and how many.
// An access touches two at most, so there is room for 64.
unsigned list_units(const LaneAccesses& accesses, unsigned size, unsigned unit, uintptr_t* touched);

// The passes that shared memory needs. Lanes that want the same word share it.
struct Passes {
    unsigned needed;
    unsigned at_best;
};
Passes count_passes(const LaneAccesses& accesses, unsigned size);

// How many lanes meet at the address where most of them do.
unsigned most_on_one_address(const LaneAccesses& accesses);

}  // namespace cusim::detect
