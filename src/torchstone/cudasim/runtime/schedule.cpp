// Thread scheduler of a block. A thread runs until it has to wait; only then does it get a stack of
// its own, so a kernel without barriers never switches.
#include "schedule.h"

#include <cstring>
#include <utility>

#include "detect.h"
#include "fiber.h"
#include "findings.h"
#include "in_flight.h"
#include "machine.h"

extern "C" {
CUSIM_TLS uint3 threadIdx;
CUSIM_TLS uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
CUSIM_TLS unsigned cusim_rank;
CUSIM_TLS uint64_t cusim_result;
CUSIM_TLS uintptr_t cusim_shared_base;
unsigned cusim_launch_number = 1;
}

namespace cusim {
CUSIM_TLS Worker* worker;

namespace {

void* first_place(Worker& worker);

inline void resume(Worker& worker, Block& block, void** save) {
    const unsigned rank = block.ready[block.head++ % (2 * max_threads)];
    Thread& next = block.threads[rank];
    cusim_result = block.results[rank];
    worker.stack_slot = next.stack_slot;
    become(worker, next);
    cusim_switch(save, next.sp);
}

// All remaining threads have arrived. A random order is redrawn here.
void release_barrier(Worker& worker, Block& block) {
    if (checking) {
        block.last_barrier = block.pcs[block.waiting[0]];
    }
    const unsigned count = block.num_waiting;
    std::memcpy(block.ready, block.waiting, count * sizeof(uint16_t));
    block.head = 0;
    block.tail = count;
    block.num_waiting = 0;
    if (worker.launch->order == Order::random) {
        for (unsigned i = count; i > 1; i--) {
            std::swap(block.ready[i - 1], block.ready[draw(worker.random) % i]);
        }
    }
    std::memcpy(block.reduced, block.accumulated, sizeof block.reduced);
    block.accumulated[0] = block.accumulated[2] = 0;
    block.accumulated[1] = 1;
    detect::barrier_released(block);
}

bool has_grid_waiters(const Block& block) {
    for (unsigned rank = 0; rank < worker->launch->num_threads; rank++) {
        if (block.threads[rank].state == State::grid) {
            return true;
        }
    }
    return false;
}

void thread_ended(Worker& worker, Block& block) {
    Thread& me = *worker.current;
    me.state = State::done;
    block.num_live--;
    if (worker.launch->cooperative) {
        worker.launch->num_alive--;
        release_grid_if_complete(worker);
    }
    lane_exited(block, me);
    if (block.num_waiting != 0 && block.num_waiting == block.num_live) {
        if (checking) {
            findings::barrier_after_exit(worker, block);
        }
        release_barrier(worker, block);
    }
}

// Entry point of every fiber: runs fresh threads one after another on its stack, until one waits.
void fiber_main() {
    Worker& me = *worker;
    Block& block = *me.block;
    const LaunchState& launch = *me.launch;
    void* nowhere;
    for (;;) {
        Thread& thread = block.threads[launch.sequence[block.num_fresh++]];
        thread.state = State::ready;
        become(me, thread);
        launch.call(const_cast<char*>(launch.arguments));
        thread_ended(me, block);
        if (block.head != block.tail) {
            // No thread takes this stack before the switch: all of them belong to this worker.
            me.free_stacks.push_back(static_cast<uint16_t>(me.stack_slot));
            resume(me, block, &nowhere);
        } else if (block.num_fresh == launch.num_threads) {
            me.free_stacks.push_back(static_cast<uint16_t>(me.stack_slot));
            if (block.num_live == 0) {
                block.is_over = true;
                cusim_switch(&nowhere, me.main_sp);
            }
            stuck(me, block, &nowhere);
        }
    }
}

void* first_place(Worker& worker) {
    worker.stack_slot = take_stack(worker);
    char* const bottom = stack_bottom(worker, worker.stack_slot);
    // Stacks at equal distances would map to the same few cache sets.
    const size_t color = worker.stack_slot % 61 * 192;
    return prepare_fiber(bottom, bottom + stack_bytes() - 256 - (color % (stack_bytes() / 4)),
                         fiber_main);
}

void enter_block(Worker& worker, Block& block) {
    worker.block = &block;
    blockIdx = block.index;
    cusim_shared_base = reinterpret_cast<uintptr_t>(block.shared);
}

uint64_t permuted(const LaunchState& launch, uint64_t position) {
    const uint64_t count = launch.num_blocks;
    switch (launch.order) {
        case Order::ascending:
            return position;
        case Order::descending:
            return count - 1 - position;
        case Order::random:
            break;
    }
    // A stride coprime to the count visits every block once.
    uint64_t state = launch.seed;
    uint64_t step = draw(state) % count | 1;
    const auto gcd = [](uint64_t a, uint64_t b) {
        while (b) {
            a = std::exchange(b, a % b);
        }
        return a;
    };
    while (gcd(step, count) != 1) {
        step += 2;
    }
    const uint64_t start = draw(state) % count;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(position) * step + start) % count);
}

}  // namespace

// No thread of this block can run. Lanes in __activemask() get their result now; a block in a grid
// barrier yields to another one; anything else is a deadlock.
void stuck(Worker& worker, Block& block, void** save) {
    if (resolve_active(worker, block)) {
        const unsigned rank = block.ready[block.head % (2 * max_threads)];
        if (save == &block.threads[rank].sp) {
            // The last one to ask continues first: it is on its stack already.
            block.head++;
            cusim_result = block.results[rank];
            return;
        }
        resume(worker, block, save);
        return;
    }
    if (has_grid_waiters(block)) {
        cusim_switch(save, worker.main_sp);
        return;
    }
    findings::deadlock(worker, block);
    leave_kernel(719);
}

void begin_on_new_stack(Worker& worker, void** save) {
    void* const place = first_place(worker);
    cusim_switch(save, place);
}

unsigned lanes_of(const LaunchState& launch, unsigned warp) {
    const unsigned left = launch.num_threads - warp * 32;
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}

void start_block(Worker& worker, Block& block, uint64_t position) {
    const LaunchState& launch = *worker.launch;
    block.number = launch.num_skipped + permuted(launch, position);
    block.index = {static_cast<unsigned>(block.number % launch.grid.x),
                   static_cast<unsigned>(block.number / launch.grid.x % launch.grid.y),
                   static_cast<unsigned>(block.number / launch.grid.x / launch.grid.y)};
    block.num_waiting = block.num_fresh = block.head = block.tail = block.num_turns = 0;
    worker.last_pc = block.last_barrier = nullptr;
    block.num_live = launch.num_threads;
    block.is_over = false;
    block.accumulated[0] = block.accumulated[2] = 0;
    block.accumulated[1] = 1;
    for (unsigned warp = 0; warp * 32 < launch.num_threads; warp++) {
        block.warps[warp] = Warp();
        block.warps[warp].lanes = lanes_of(launch, warp);
    }
    for (unsigned rank = 0; rank < launch.num_threads; rank++) {
        block.threads[rank].state = State::fresh;
    }
    // Contents left by an earlier block must not be readable.
    std::memset(block.shared, poison, launch.static_bytes);
    std::memset(block.dynamic, poison, launch.dynamic_bytes);
    if (block.in_flight) {
        block.in_flight->drop_all(launch.num_threads);
    }
    enter_block(worker, block);
    detect::block_started(block);
}

// Runs until the block ends, leaves the launch by an error, or yields to another block.
void go_on(Worker& worker, Block& block) {
    enter_block(worker, block);
    detect::block_entered(block);
    worker.in_kernel = true;
    if (block.num_fresh != 0) {
        resume(worker, block, &worker.main_sp);
    } else {
        cusim_switch(&worker.main_sp, first_place(worker));
    }
    worker.in_kernel = false;
    if (block.is_over || worker.launch->error.load(std::memory_order_relaxed) != 0) {
        detect::block_ended(block);
    } else {
        detect::block_left(block);
    }
}

// All blocks are resident, one running at a time: each until it ends or waits for the others.
void run_all_blocks(Worker& worker, std::vector<Block*>& blocks) {
    LaunchState& launch = *worker.launch;
    for (size_t i = 0; i < blocks.size(); i++) {
        start_block(worker, *blocks[i], i);
    }
    size_t num_over = 0;
    while (num_over < blocks.size() && launch.error == 0) {
        const size_t before = num_over;
        bool moved = false;
        for (Block* block : blocks) {
            const bool has_begun = block->num_fresh != 0;
            if (block->is_over || (has_begun && block->head == block->tail)) {
                continue;
            }
            moved = true;
            go_on(worker, *block);
            if (launch.error != 0) {
                break;
            }
            num_over += block->is_over;
        }
        if (!moved && num_over == before) {
            findings::grid_deadlock(worker, blocks);
            launch.error = 719;
        }
    }
    if (launch.error != 0) {
        give_back_all_stacks(worker);
    }
}

void release_grid_if_complete(Worker& worker) {
    LaunchState& launch = *worker.launch;
    if (launch.num_in_grid_barrier == 0 || launch.num_in_grid_barrier != launch.num_alive) {
        return;
    }
    for (const Block* block : cooperative_blocks()) {
        if (block->num_fresh != 0 && block->num_live == 0) {
            return;  // a block that has ended never arrives
        }
    }
    launch.num_in_grid_barrier = 0;
    for (Block* block : cooperative_blocks()) {
        for (unsigned rank = 0; rank < launch.num_threads; rank++) {
            if (block->threads[rank].state == State::grid) {
                block->threads[rank].state = State::ready;
                block->last_barrier = block->details[rank].pc;
                block->push(rank);
            }
        }
    }
    detect::grid_released();
}

void leave_kernel(int error) {
    Worker& me = *worker;
    int none = 0;
    me.launch->error.compare_exchange_strong(none, error);
    void* nowhere;
    cusim_switch(&nowhere, me.main_sp);
    __builtin_unreachable();
}

}  // namespace cusim

using cusim::worker;

namespace {
inline __attribute__((always_inline)) void wait_at_barrier(cusim::Worker& worker,
                                                           cusim::Block& block, cusim::Thread& me) {
    block.waiting[block.num_waiting++] = me.rank;
    if (block.num_waiting == block.num_live) {
        if (cusim::checking) {
            cusim::findings::barrier_sites(worker, block);
        }
        cusim::release_barrier(worker, block);
    }
    return cusim::go_next(worker, block, me);
}
}  // namespace

extern "C" void cusim_barrier(int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return;
    }
    cusim::Block& block = *me->block;
    if (cusim::checking) {
        block.sites[me->current->rank] = site;
        block.pcs[me->current->rank] = __builtin_return_address(0);
        cusim::detect::counted_barrier(__builtin_return_address(0));
    }
    return wait_at_barrier(*me, block, *me->current);
}

extern "C" int cusim_barrier_reduce(int op, int predicate, int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return predicate;
    }
    cusim::Block& block = *me->block;
    block.accumulated[0] += predicate;
    block.accumulated[1] &= predicate;
    block.accumulated[2] |= predicate;
    if (cusim::checking) {
        block.sites[me->current->rank] = site;
        block.pcs[me->current->rank] = __builtin_return_address(0);
        cusim::detect::counted_barrier(__builtin_return_address(0));
    }
    wait_at_barrier(*me, block, *me->current);
    return worker->block->reduced[op];
}

extern "C" void cusim_grid_sync(int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return;
    }
    cusim::Thread& thread = *me->current;
    if (!me->launch->cooperative) {
        cusim::findings::grid_sync_without_cooperative(*me, __builtin_return_address(0));
        cusim::leave_kernel(719);
    }
    me->block->details[thread.rank].site = site;
    me->block->details[thread.rank].pc = __builtin_return_address(0);
    thread.state = cusim::State::grid;
    me->launch->num_in_grid_barrier++;
    cusim::release_grid_if_complete(*me);
    cusim::go_next(*me, *me->block, thread);
}
