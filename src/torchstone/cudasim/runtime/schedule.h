// Internal interface of the scheduler's parts.
#pragma once

#include <vector>

#include "fiber.h"
#include "machine.h"

namespace cusim {
void begin_on_new_stack(Worker& worker, void** save);
void stuck(Worker& worker, Block& block, void** save);

inline void become(Worker& worker, Thread& thread) {
    worker.current = &thread;
    threadIdx = thread.index;
    cusim_rank = thread.rank;
}

// Runs another thread; returns when this one resumes. It is the last call of its callers, so that
// the switch is a jump, and a resumed thread returns directly to its kernel.
inline __attribute__((always_inline)) void go_next(Worker& worker, Block& block, Thread& me) {
    me.stack_slot = static_cast<uint16_t>(worker.stack_slot);
    if (CUSIM_LIKELY(block.head != block.tail)) {
        const unsigned rank = block.ready[block.head++ % (2 * max_threads)];
        Thread& next = block.threads[rank];
        cusim_result = block.results[rank];
        if (__builtin_expect(&next == &me, 0)) {
            return;
        }
        worker.stack_slot = next.stack_slot;
        become(worker, next);
        return cusim_switch(&me.sp, next.sp);
    }
    if (block.num_fresh < worker.launch->num_threads) {
        return begin_on_new_stack(worker, &me.sp);
    }
    return stuck(worker, block, &me.sp);
}

void go_on(Worker& worker, Block& block);
void run_all_blocks(Worker& worker, std::vector<Block*>& blocks);
void release_grid_if_complete(Worker& worker);
// The blocks of the running cooperative launch.
std::vector<Block*>& cooperative_blocks();
}  // namespace cusim
