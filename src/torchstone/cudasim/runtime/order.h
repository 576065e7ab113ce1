// Which of two accesses comes first, by barriers, syncwarps, fences with atomics, and grid
// barriers.
#pragma once

#include "shadow.h"

namespace cusim::detect {
extern CUSIM_HIDDEN uint32_t now;  // the epoch of the block that runs
// What happened in an earlier epoch is ordered before all threads.
extern CUSIM_HIDDEN uint32_t all_before;
// Epochs from here on are the running block's, unless blocks take turns.
extern CUSIM_HIDDEN uint32_t own_since;
extern CUSIM_HIDDEN uint32_t clocks[max_threads];
extern CUSIM_HIDDEN Block* running;

// Whether this block has done anything that orders accesses between two of its barriers. Until then
// no check of that order is needed.
extern CUSIM_HIDDEN bool is_finely_ordered;

// Whether something that thread `rank` of some block did at a moment happens before this thread's
// now.
bool is_ordered(const Moment& then, unsigned rank);
bool is_own_block(uint32_t epoch);
uint64_t block_of(uint32_t epoch);
// The same for what several lanes of this thread's warp did, at clocks that are not later than
// this.
bool are_ordered(uint32_t lanes, uint32_t clock);
// An atomic access, for the device or for its block: acquire, and release what is fenced.
void synchronise_through(void* address, bool within_block);

// What happens to a launch and its blocks (detect.h), as far as the order is concerned.
void order_launch_started();
void order_block_started(Block& block);
void order_block_entered(Block& block);
void order_block_left(Block& block);
void order_barrier_released();
void order_grid_released(const std::vector<Block*>& blocks);
}  // namespace cusim::detect
