// Waiting for a word in shared memory to change: the basis of cuda::barrier.
#include "detect.h"
#include "machine.h"
#include "schedule.h"

using cusim::worker;

extern "C" bool cusim_is_cooperative() {
    cusim::Worker* const me = worker;
    return me && me->in_kernel && me->launch->cooperative;
}

extern "C" void cusim_park(const void* key, int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return;
    }
    cusim::Thread& thread = *me->current;
    cusim::Waiting& details = me->block->details[thread.rank];
    me->block->values[thread.rank] = reinterpret_cast<uint64_t>(key);
    details.pc = __builtin_return_address(0);
    details.site = site;
    thread.state = cusim::State::parked;
    cusim::go_next(*me, *me->block, thread);
}

extern "C" void cusim_wake(const void* key) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return;
    }
    cusim::Block& block = *me->block;
    for (unsigned rank = 0; rank < me->launch->num_threads; rank++) {
        cusim::Thread& thread = block.threads[rank];
        if (thread.state == cusim::State::parked &&
            block.values[rank] == reinterpret_cast<uint64_t>(key)) {
            thread.state = cusim::State::ready;
            block.push(rank);
        }
    }
    cusim::detect::barrier_released(block);
}
