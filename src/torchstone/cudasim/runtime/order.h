// Happens-before order of accesses, by barriers, syncwarps, fences with atomics, and grid barriers.
#pragma once

#include "shadow.h"

namespace cusim::detect {
extern CUSIM_HIDDEN uint32_t now;  // the epoch of the running block
// Accesses in earlier epochs are ordered before all threads.
extern CUSIM_HIDDEN uint32_t all_before;
// Epochs from here on belong to the running block, unless blocks take turns.
extern CUSIM_HIDDEN uint32_t own_since;
extern CUSIM_HIDDEN uint32_t clocks[max_threads];
extern CUSIM_HIDDEN Block* running;

// Whether this block has executed anything that orders accesses between two of its barriers. Until
// then no check of that order is needed.
extern CUSIM_HIDDEN bool is_finely_ordered;

// Whether an access by thread `rank` of some block at a moment happens before this thread's
// present.
bool is_ordered(const Moment& then, unsigned rank);
bool is_own_block(uint32_t epoch);
uint64_t block_of(uint32_t epoch);
// The same for several lanes of this thread's warp, whose clocks are at most this one.
bool are_ordered(uint32_t lanes, uint32_t clock);
// An atomic access of device or block scope: acquires, and releases what is fenced.
void synchronise_through(void* address, bool within_block);

// Events of a launch and its blocks (detect.h) that affect the order.
void order_launch_started();
void order_block_started(Block& block);
void order_block_entered(Block& block);
void order_block_left(Block& block);
void order_barrier_released();
void order_grid_released(const std::vector<Block*>& blocks);
}  // namespace cusim::detect
