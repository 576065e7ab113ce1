#if CUSIM_CHECK

#include "order.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "detect.h"
#include "releases.h"

namespace cusim::detect {

uint32_t now = 1;
uint32_t all_before = 1;
uint32_t own_since = 0;
uint32_t clocks[max_threads];
Block* running = nullptr;
bool is_finely_ordered = false;

namespace {

uint32_t last_epoch = 1;
uint32_t first_epoch = 1;                // of this launch
std::vector<uint64_t> owners;            // of its epochs
// seen[a][l]: thread a has seen everything that lane l of its warp did before this clock.
uint32_t seen[max_threads][32];

// Per thread: the clocks up to which it has fenced the accesses of its warp's lanes. A fence covers
// the thread's own accesses, and those made visible to it by an earlier __syncwarp().
struct Fenced {
    uint32_t epoch = 0;
    uint32_t clocks[32] = {};
};

// Progress of a thread at a word in this epoch: the changes merged from the word's two logs into
// its own, and from its own into these.
struct Visit {
    const void* address = nullptr;
    uint32_t epoch = 0;
    size_t from_far = 0, from_near = 0, to_far = 0, to_near = 0;
    bool has_common = false;
};

// Kept per resident block, because blocks take turns.
struct Knowledge {
    uint32_t epoch = 0;
    Fences fences;       // device scope
    Fences near_fences;  // block scope or wider
    std::shared_ptr<const Fences> before_barrier;
    bool has_new_fence = false;
    Releases common;            // known to all threads since the last barrier
    std::vector<Log> own;       // learnt by each thread since then
    std::vector<Visit> visits;  // last visit of each thread
    std::vector<unsigned> has_learnt;
    // Saved while another block runs; the second is empty without fine-grained order.
    std::vector<uint32_t> clocks, seen;
    // Releases through a word to the threads of this block.
    std::unordered_map<void*, Log> near;
    // Per thread, at device and at block scope; empty until the first fence.
    std::vector<Fenced> fenced_far, fenced_near;
};
auto& releases = *new std::unordered_map<void*, Log>;
Knowledge* mine = nullptr;

Knowledge& known(Block& block) {
    if (!block.knowledge) {
        block.knowledge = new Knowledge;
    }
    return *static_cast<Knowledge*>(block.knowledge);
}

void new_epoch() {
    now = ++last_epoch;
    owners.push_back(running->number);
    mine->epoch = now;
}

void learn(unsigned rank, const Releases& what) {
    if (mine->own[rank].empty()) {
        mine->has_learnt.push_back(rank);
    }
    join(mine->own[rank], what);
}

void acquire(const Log& through, size_t& passed) {
    if (!through.empty()) {
        is_finely_ordered = true;
        if (mine->own[cusim_rank].empty()) {
            mine->has_learnt.push_back(cusim_rank);
        }
        join(mine->own[cusim_rank], through, passed);
        passed = through.changes.size();
    }
}

Fenced& row_of(std::vector<Fenced>& rows, unsigned rank) {
    if (rows.empty()) {
        rows.resize(max_threads);
    }
    if (rows[rank].epoch != now) {
        rows[rank] = {now, {}};
    }
    return rows[rank];
}

void fence_warp(std::vector<Fenced>& rows) {
    const unsigned me = cusim_rank;
    Fenced& row = row_of(rows, me);
    for (unsigned lane = 0; lane < 32; lane++) {
        row.clocks[lane] = std::max(row.clocks[lane], seen[me][lane]);
    }
    row.clocks[me & 31] = clocks[me];
}

// After a __syncwarp() each lane may release what the others have fenced.
void share_fenced(std::vector<Fenced>& rows, unsigned base, unsigned mask) {
    if (rows.empty()) {
        return;
    }
    Fenced joined{now, {}};
    for (unsigned left = mask; left; left &= left - 1) {
        const Fenced& row = row_of(rows, base + static_cast<unsigned>(__builtin_ctz(left)));
        for (unsigned lane = 0; lane < 32; lane++) {
            joined.clocks[lane] = std::max(joined.clocks[lane], row.clocks[lane]);
        }
    }
    for (unsigned left = mask; left; left &= left - 1) {
        rows[base + static_cast<unsigned>(__builtin_ctz(left))] = joined;
    }
}

// Returns whether there was anything to release.
bool release_fenced(std::vector<Fenced>& rows, Log& to) {
    if (rows.empty()) {
        return false;
    }
    const unsigned me = cusim_rank, base = me & ~31u;
    const Fenced& row = row_of(rows, me);
    bool is_any = false;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (row.clocks[lane]) {
            const uint16_t rank = static_cast<uint16_t>(base + lane);
            keep_latest(to, key_of(running->number, rank), {now, row.clocks[lane], rank, nullptr});
            is_any = true;
        }
    }
    return is_any;
}

// A block-scope fence, __threadfence_block(), has no effect on other blocks.
void synchronise_nearby(void* address, Visit& visit) {
    const auto known_near = mine->near.find(address);
    if (known_near != mine->near.end()) {
        acquire(known_near->second, visit.from_near);
    }
    const unsigned me = cusim_rank;
    const Fence& fence = mine->near_fences[me];
    Log found;
    const bool is_passed_on = release_fenced(mine->fenced_near, found);
    if (is_passed_on || fence.epoch) {
        Log& near = mine->near[address];
        Released mine_now{fence.epoch, fence.clock, static_cast<uint16_t>(me), nullptr};
        keep_latest(near, key_of(running->number, me), mine_now);
        mine_now.epoch = is_passed_on ? now : fence.epoch;
        keep_latest(near, key_of(running->number, whole_block), mine_now);
        join(near, found.all);
        join(near, mine->own[me], visit.to_near);
        visit.to_near = mine->own[me].changes.size();
    }
}

// __syncwarp() propagates what one lane has acquired by an atomic access to the others.
void share_learnt(unsigned base, unsigned mask) {
    Releases joined;
    for (const unsigned rank : mine->has_learnt) {
        if (rank / 32 == base / 32 && mask >> (rank & 31) & 1) {
            join(joined, mine->own[rank].all);
        }
    }
    if (joined.empty()) {
        return;
    }
    for (unsigned left = mask; left; left &= left - 1) {
        learn(base + static_cast<unsigned>(__builtin_ctz(left)), joined);
    }
}

}  // namespace

bool is_own_block(uint32_t epoch) {
    if (epoch >= own_since) {
        return true;
    }
    return epoch >= first_epoch && owners[epoch - first_epoch] == running->number;
}

uint64_t block_of(uint32_t epoch) { return owners[epoch - first_epoch]; }

bool is_ordered(const Moment& then, unsigned rank) {
    if (then.epoch < all_before) {
        return true;
    }
    const unsigned me = cusim_rank;
    const bool is_now = then.epoch == now;
    if (is_now && (rank == me || (rank / 32 == me / 32 && seen[me][rank % 32] > then.clock))) {
        return true;
    }
    const bool is_own = then.epoch >= own_since || is_own_block(then.epoch);
    if (is_own && !is_now) {
        return true;
    }
    const uint64_t block = is_own ? running->number : block_of(then.epoch);
    return knows(mine->common, block, then, rank) ||
           (!mine->own[me].empty() && knows(mine->own[me].all, block, then, rank));
}

bool are_ordered(uint32_t lanes, uint32_t clock) {
    const unsigned me = cusim_rank;
    for (unsigned left = lanes & ~(1u << (me & 31)); left; left &= left - 1) {
        if (seen[me][__builtin_ctz(left)] <= clock) {
            return false;
        }
    }
    return true;
}

void synchronise_through(void* address, bool within_block) {
    const unsigned me = cusim_rank;
    Visit& visit = mine->visits[me];
    if (visit.address != address || visit.epoch != now) {
        visit = {};
        visit.address = address;
        visit.epoch = now;
    }
    synchronise_nearby(address, visit);
    if (within_block) {
        return;
    }
    Log& through = releases[address];
    acquire(through, visit.from_far);
    const Fence& fence = mine->fences[me];
    const bool is_passed_on = release_fenced(mine->fenced_far, through);
    if (!is_passed_on && fence.epoch == 0 && !mine->before_barrier) {
        return;
    }
    Released mine_now{fence.epoch, fence.clock, static_cast<uint16_t>(me), nullptr};
    keep_latest(through, key_of(running->number, me), mine_now);
    // A fence by another thread of the block in this epoch covers all of the block's earlier
    // epochs.
    mine_now.epoch = is_passed_on ? now : fence.epoch;
    mine_now.fellows = mine->before_barrier;
    keep_latest(through, key_of(running->number, whole_block), mine_now);
    join(through, mine->own[me], visit.to_far);
    visit.to_far = mine->own[me].changes.size();
    if (!visit.has_common) {
        join(through, mine->common);
        visit.has_common = true;
    }
}

void fenced(int scope) {
    if (worker && worker->in_kernel) {
        uint32_t& clock = clocks[cusim_rank];
        clock = std::min(clock + 1, last_clock);
        mine->near_fences[cusim_rank] = {now, clock};
        fence_warp(mine->fenced_near);
        if (scope > 0) {
            fence_warp(mine->fenced_far);
            mine->fences[cusim_rank] = {now, clock};
            mine->has_new_fence = true;
        }
    }
}

void order_launch_started() {
    all_before = first_epoch = last_epoch + 1;
    owners.clear();
    releases.clear();
    mine = nullptr;
    running = nullptr;
}

void order_block_started(Block& block) {
    running = &block;
    const unsigned count = worker->launch->num_threads;
    mine = &known(block);
    mine->clocks.clear();
    mine->seen.clear();
    mine->fences.assign(count, {});
    mine->near_fences.assign(count, {});
    mine->near.clear();
    mine->fenced_far.clear();
    mine->fenced_near.clear();
    mine->before_barrier.reset();
    mine->has_new_fence = false;
    mine->common.clear();
    for (const unsigned rank : mine->has_learnt) {
        mine->own[rank].clear();
    }
    mine->has_learnt.clear();
    if (mine->own.size() < count) {
        mine->own.resize(count);
    }
    mine->visits.assign(count, {});
    std::memset(clocks, 0, count * sizeof *clocks);
    if (is_finely_ordered || worker->launch->cooperative) {
        std::memset(seen, 0, sizeof seen);
        is_finely_ordered = worker->launch->cooperative;
    }
    new_epoch();
    own_since = worker->launch->cooperative ? ~0u : now;
}

void order_block_entered(Block& block) {
    if (running == &block) {
        return;
    }
    running = &block;
    mine = &known(block);
    now = mine->epoch;
    own_since = ~0u;
    const auto restore = [](const std::vector<uint32_t>& from, uint32_t* to, size_t count) {
        std::fill(std::copy(from.begin(), from.end(), to), to + count, 0);
    };
    const unsigned count = worker->launch->num_threads;
    restore(mine->clocks, clocks, count);
    const bool was_finely_ordered = is_finely_ordered;
    is_finely_ordered = worker->launch->cooperative || !mine->seen.empty();
    if (was_finely_ordered || is_finely_ordered) {
        restore(mine->seen, &seen[0][0], count * 32);
    }
}

void order_block_left(Block& block) {
    const unsigned count = worker->launch->num_threads;
    Knowledge& left = known(block);
    left.clocks.assign(clocks, clocks + count);
    left.seen.assign(&seen[0][0], &seen[0][0] + (is_finely_ordered ? count * 32 : 0));
}

void order_barrier_released() {
    if (mine->has_new_fence) {
        mine->before_barrier = std::make_shared<const Fences>(mine->fences);
        mine->has_new_fence = false;
    }
    for (const unsigned rank : mine->has_learnt) {
        join(mine->common, mine->own[rank].all);
        mine->own[rank].clear();
    }
    mine->has_learnt.clear();
    new_epoch();
}

void order_grid_released(const std::vector<Block*>& blocks) {
    all_before = last_epoch + 1;
    for (Block* block : blocks) {
        last_epoch++;
        owners.push_back(block->number);
        known(*block).epoch = last_epoch;
    }
    now = mine->epoch;
}

void warp_synchronised(Block&, unsigned warp, unsigned mask) {
    is_finely_ordered = true;
    const unsigned base = warp * 32;
    uint32_t joined[32] = {};
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        for (unsigned other = 0; other < 32; other++) {
            joined[other] = std::max(joined[other], seen[base + lane][other]);
        }
    }
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        joined[lane] = clocks[base + lane] + 1;
        clocks[base + lane] = std::min(clocks[base + lane] + 1, last_clock);
    }
    for (unsigned left = mask; left; left &= left - 1) {
        std::memcpy(seen[base + static_cast<unsigned>(__builtin_ctz(left))], joined, sizeof joined);
    }
    share_fenced(mine->fenced_near, base, mask);
    share_fenced(mine->fenced_far, base, mask);
    if (!mine->has_learnt.empty()) {
        share_learnt(base, mask);
    }
}

}  // namespace cusim::detect

#endif
