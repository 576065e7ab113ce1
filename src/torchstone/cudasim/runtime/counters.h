// Counters of the memory system, maintained by the check build.
#pragma once

#include <cstdint>
#include <string>

#include "machine.h"

namespace cusim::detect {

enum class Counted : int {
    global_load,
    global_store,
    shared_load,
    shared_store,
    constant_load,
    global_atomic,
    shared_atomic,
    barrier,
    shuffle_idx,  // indexed by cusim_warp_op
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    vote,
    match,
    warp_reduce,
    warp_sync,
};

// Which blocks of a launch are counted: a sample, all, or none.
enum class CountedBlocks : int { some, all, none };
void choose_counted_blocks(CountedBlocks chosen);

extern CUSIM_HIDDEN bool is_counting;
void record_access(Counted what, void* pc, uintptr_t address, unsigned size);
inline void count_access(void* pc, uintptr_t address, unsigned size, bool is_write,
                         bool is_shared) {
    if (is_counting) {
        record_access(is_shared ? is_write ? Counted::shared_store : Counted::shared_load
                      : is_write ? Counted::global_store
                                 : Counted::global_load,
                      pc, address, size);
    }
}
// An access to a variable of the program: __device__, __constant__ or __managed__.
void count_symbol(void* pc, uintptr_t address, unsigned size, bool is_write);
void count_atomic(void* pc, uintptr_t address, unsigned size);
void count_shared_declared(size_t size);
void count_launch_started(const LaunchState& launch);
void count_launch_ended();
void count_block_started(Block& block);
void count_block_entered(Block& block);
void count_block_left();
// A barrier, or the end of the block.
void count_interval_ended(Block& block);

std::string counters_to_json();
void clear_counters();

}  // namespace cusim::detect
