// Yielding: to another thread of the block, or to another block. Threads yield where they wait for
// others; and, depending on the seed, before and after atomic accesses: on a GPU other threads run
// there, too, and values assumed constant across two such accesses may have changed.
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>

#include "detect.h"
#include "machine.h"
#include "schedule.h"

namespace cusim {
namespace {

// Limit of the number of threads in a worker's resident blocks; at least two blocks are allowed.
constexpr unsigned most_threads_at_once = 2048, most_blocks_at_once = 8;
// In the fast build: number of preemptions by the watch after which threads no longer yield.
constexpr unsigned most_forced = 30;
constexpr uint64_t golden = 0x9e3779b97f4a7c15u;

// Shared memory, static and dynamic. The dynamic part ends at an unmapped page.
char* map_shared() {
    void* const memory = mmap(nullptr, 2 * shared_space + page_bytes(), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mprotect(static_cast<char*>(memory) + 2 * shared_space, page_bytes(), PROT_NONE);
    return static_cast<char*>(memory);
}

}  // namespace

Block* make_block() {
    Block* const block = new Block;
    block->shared = map_shared();
    return block;
}

void prepare(Block& block, const LaunchState& launch) {
    // The largest alignment used with __align__ in practice.
    const size_t rounded = (launch.dynamic_bytes + 127) / 128 * 128;
    block.dynamic = block.shared + 2 * shared_space - (checking ? shared_space : rounded);
    for (unsigned rank = 0; rank < launch.num_threads; rank++) {
        block.threads[rank].rank = static_cast<uint16_t>(rank);
        block.threads[rank].index = launch.indices[rank];
    }
}

namespace {

// Several at a time, because a counter shared by all workers is expensive; few, because the last
// ones determine the total time.
bool has_next(Worker& me) {
    LaunchState& launch = *me.launch;
    if (me.next_position == me.end_position) {
        const uint64_t step = std::clamp<uint64_t>(launch.num_blocks / 256, 1, 64);
        const uint64_t first = std::min(launch.next_block.fetch_add(step), launch.num_blocks);
        me.next_position = first;
        me.end_position = std::min(first + step, launch.num_blocks);
    }
    return me.next_position != me.end_position;
}

Block& take_idle(Worker& me) {
    if (me.idle.empty()) {
        if (me.num_prepared == me.blocks.size()) {
            me.blocks.push_back(make_block());
        }
        Block* const block = me.blocks[me.num_prepared++];
        prepare(*block, *me.launch);
        me.idle.push_back(block);
    }
    Block& taken = *me.idle.back();
    me.idle.pop_back();
    return taken;
}

// The block suspended last has the lowest priority: another one is resumed, if there is one.
Block& take_paused(Worker& me) {
    const size_t others = std::max<size_t>(me.paused.size() - 1, 1);
    std::swap(me.paused[draw(me.random) % others], me.paused.back());
    Block& taken = *me.paused.back();
    me.paused.pop_back();
    return taken;
}

// Returns to the loop over blocks; another block is resumed, or this one again.
void leave_block(Worker& me) {
    Thread& thread = *me.current;
    thread.stack_slot = static_cast<uint16_t>(me.stack_slot);
    cusim_switch(&thread.sp, me.main_sp);
}

// True with a probability of `times` / 64.
bool is_drawn(Worker& me, unsigned times) { return (draw(me.random) >> 32 & 63) < times; }

// Usually a few threads go first, sometimes all: one that holds a lock delays the others.
unsigned draw_distance(Worker& me) {
    const unsigned drawn = draw(me.random) >> 32 & 7;
    return drawn < 6 ? 1u << (drawn & 3) : max_threads;
}

// Inserts the thread into the queue after `distance` others.
void come_back_after(Block& block, const Thread& thread, unsigned distance) {
    const auto place = [&](unsigned i) -> uint16_t& { return block.ready[i % (2 * max_threads)]; };
    unsigned at = --block.head;
    for (const unsigned end = at + std::min(distance, block.tail - at - 1); at != end; at++) {
        place(at) = place(at + 1);
    }
    place(at) = thread.rank;
}

void begin_fresh(Worker& me) {
    me.current->stack_slot = static_cast<uint16_t>(me.stack_slot);
    begin_on_new_stack(me, &me.current->sp);
}

bool has_other_threads(const Worker& me) {
    return me.block->head != me.block->tail || me.block->num_fresh < me.launch->num_threads;
}

bool has_other_blocks(const Worker& me) {
    return me.launch->cooperative || !me.paused.empty() || me.next_position != me.end_position;
}

}  // namespace

void forget_turns(Worker& me) {
    me.num_prepared = 0;
    me.idle.clear();
    me.paused.clear();
    me.next_position = me.end_position = 0;
    std::fill(std::begin(me.num_draws), std::end(me.num_draws), 0);
    me.num_left = me.num_forced = 0;
}

void run_blocks(Worker& me) {
    LaunchState& launch = *me.launch;
    const unsigned most_at_once =
        std::clamp(most_threads_at_once / launch.num_threads, 2u, most_blocks_at_once);
    while (launch.error.load(std::memory_order_relaxed) == 0) {
        const bool may_begin = me.paused.size() < most_at_once && has_next(me);
        if (!may_begin && me.paused.empty()) {
            return;
        }
        const bool begins = may_begin && (me.paused.size() < 2 || is_drawn(me, 32));
        Block& block = begins ? take_idle(me) : take_paused(me);
        if (begins) {
            start_block(me, block, me.next_position++);
            if (launch.gives_way) {
                has_next(me);  // determines whether another block could run
            }
        }
        go_on(me, block);
        (block.is_over ? me.idle : me.paused).push_back(&block);
    }
    me.paused.clear();
    give_back_all_stacks(me);
}

void give_way_for_watch() {
    // Threads may wait for one that has yielded; and further yields would prolong long launches.
    if (++worker->num_forced == most_forced) {
        cusim_gives_way = checking && cusim_gives_way;
    }
    cusim_yield();
}

// Frequent at first, then rare, because a location passed thousands of times has shown its
// behaviour. Usually another block is resumed: the remaining threads of its own may not access the
// word.
void give_way_at(const void* pc) {
    Worker* const me = worker;
    if (!cusim_gives_way || !me || !me->in_kernel) {
        return;
    }
    const unsigned count = me->num_draws[reinterpret_cast<uintptr_t>(pc) * golden >> 56]++;
    if (!is_drawn(*me, count < 64 ? 48 : count < 1u << 12 ? 32 : count < 1u << 15 ? 8 : 1)) {
        return;
    }
    const bool is_alone = !has_other_threads(*me);
    if (has_other_blocks(*me)) {
        const unsigned seldom = me->num_left < 256 ? 1 : me->num_left < 2048 ? 8 : 48;
        if (is_drawn(*me, (is_alone ? 64 : 48) / seldom)) {
            me->num_left++;
            me->block->push(me->current->rank);
            return leave_block(*me);
        }
    }
    if (!is_alone) {
        Block& block = *me->block;
        come_back_after(block, *me->current, draw_distance(*me));
        if (block.num_fresh < me->launch->num_threads) {
            return begin_fresh(*me);
        }
        return go_next(*me, block, *me->current);
    }
}

}  // namespace cusim

using cusim::worker;

extern "C" {
bool cusim_gives_way = false;

void cusim_yield() {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return;
    }
    cusim::Block& block = *me->block;
    block.push(me->current->rank);
    if (block.num_fresh < me->launch->num_threads) {
        // The awaited thread may not have started.
        return cusim::begin_fresh(*me);
    }
    // If all ready threads have yielded, they may wait for another block; with suspended blocks it
    // is tried much earlier.
    const bool has_paused = !me->paused.empty();
    if ((me->launch->cooperative || has_paused) &&
        (++block.num_turns >= block.tail - block.head ||
         (has_paused && cusim::is_drawn(*me, 8)))) {
        block.num_turns = 0;
        return cusim::leave_block(*me);
    }
    return cusim::go_next(*me, block, *me->current);
}

void cusim_give_way() { cusim::give_way_at(__builtin_return_address(0)); }
}
