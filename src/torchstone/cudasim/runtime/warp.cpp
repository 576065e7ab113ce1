// Warp operations. Lanes wait until all lanes of their mask have arrived or ended; the last to
// arrive computes the results of all.
#include <algorithm>
#include <climits>
#include <cstring>

#include "detect.h"
#include "findings.h"
#include "machine.h"
#include "schedule.h"

namespace cusim {
namespace {

// The value of a lane that does not participate: NaN, which propagates through sums, and the
// largest floats of both signs, which are visible where NaN is ignored, as in fmaxf. It varies with
// the lane, the distance and the seed of the order, so that another order reveals what this one may
// hide.
uint64_t poison_of(unsigned source, int arg) {
    constexpr uint64_t poisons[] = {~uint64_t{0}, 0x7f7f7bff7f7f7bff, 0xff7ffbffff7ffbff};
    return poisons[(source + static_cast<unsigned>(arg) + worker->launch->seed) % 3];
}

bool is_shuffle(int op) { return op <= CUSIM_SHFL_XOR; }

// The source lane by the rules of __shfl_*_sync; the lane itself if it is out of the segment.
unsigned source_lane(int op, int arg, int width, unsigned lane) {
    const int self = static_cast<int>(lane);
    const int first = self & ~(width - 1);
    const int position = self & (width - 1);
    int source = self;
    switch (op) {
        case CUSIM_SHFL_IDX:
            source = first + (arg & (width - 1));
            break;
        case CUSIM_SHFL_UP:
            source = position >= arg ? self - arg : self;
            break;
        case CUSIM_SHFL_DOWN:
            source = position + arg < width ? self + arg : self;
            break;
        default: {
            const int other = self ^ arg;
            // Up to the end of the segment or below, as by the instruction.
            source = (other & ~(width - 1)) <= first ? other : self;
        }
    }
    return static_cast<unsigned>(source) & 31;
}

uint64_t reduce(int op, uint64_t a, uint64_t b) {
    const uint32_t x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);
    const int32_t sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
    switch (op) {
        case CUSIM_ADD:
            return x + y;
        case CUSIM_MIN_S:
            return static_cast<uint32_t>(std::min(sx, sy));
        case CUSIM_MAX_S:
            return static_cast<uint32_t>(std::max(sx, sy));
        case CUSIM_MIN_U:
            return std::min(x, y);
        case CUSIM_MAX_U:
            return std::max(x, y);
        case CUSIM_AND:
            return x & y;
        case CUSIM_OR:
            return x | y;
        default:
            return x ^ y;
    }
}

void shuffle(Block& block, unsigned base, unsigned mask, int op) {
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        const int arg = arg_of(block.requests[base + lane]);
        const unsigned source = source_lane(op, arg, width_of(block.requests[base + lane]), lane);
        // The value of a lane that does not participate is undefined. It is legal if unused, so it
        // is not a finding here: it is set to a conspicuous value.
        block.results[base + lane] =
            mask >> source & 1 ? block.values[base + source] : poison_of(source, arg);
    }
}

// A full-warp shuffle by one distance: loops that the compiler vectorizes.
bool shuffle_uniformly(Block& block, unsigned base, int op) {
    const Request first = block.requests[base];
    Request differ = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        differ |= block.requests[base + lane] ^ first;
    }
    if (differ || width_of(first) != 32 || arg_of(first) > 31) {
        return false;
    }
    const int distance = arg_of(first);
    const uint64_t* const values = block.values + base;
    uint64_t* const results = block.results + base;
    switch (op) {
        case CUSIM_SHFL_IDX:
            for (int lane = 0; lane < 32; lane++) {
                results[lane] = values[distance];
            }
            return true;
        case CUSIM_SHFL_UP:
            std::memcpy(results, values, static_cast<size_t>(distance) * sizeof *values);
            std::memcpy(results + distance, values,
                        static_cast<size_t>(32 - distance) * sizeof *values);
            return true;
        case CUSIM_SHFL_DOWN:
            std::memcpy(results, values + distance,
                        static_cast<size_t>(32 - distance) * sizeof *values);
            std::memcpy(results + 32 - distance, values + 32 - distance,
                        static_cast<size_t>(distance) * sizeof *values);
            return true;
        default:
            for (int lane = 0; lane < 32; lane++) {
                results[lane] = values[lane ^ distance];
            }
            return true;
    }
}

// Results common to all lanes.
uint64_t vote_together(const uint64_t* values, unsigned mask, int op) {
    unsigned ballot = 0;
    bool all_same = true;
    const uint64_t first = values[__builtin_ctz(mask)];
    uint64_t total = first;
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        ballot |= static_cast<unsigned>(values[lane] & 1) << lane;
        all_same &= values[lane] == first;
        if (op >= CUSIM_ADD && left != mask) {
            total = reduce(op, total, values[lane]);
        }
    }
    switch (op) {
        case CUSIM_BALLOT:
            return ballot;
        case CUSIM_ANY:
            return ballot != 0;
        case CUSIM_ALL:
            return ballot == mask;
        case CUSIM_MATCH_ALL:
            return all_same ? mask : 0;
        default:
            return total;
    }
}

void vote(Block& block, unsigned base, unsigned mask, int op) {
    const uint64_t* const values = block.values + base;
    const uint64_t together = op == CUSIM_MATCH_ANY ? 0 : vote_together(values, mask, op);
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        uint64_t result = together;
        if (op == CUSIM_MATCH_ANY) {
            for (unsigned others = mask; others; others &= others - 1) {
                const unsigned other = static_cast<unsigned>(__builtin_ctz(others));
                result |= static_cast<uint64_t>(values[other] == values[lane]) << other;
            }
        }
        block.results[base + lane] = result;
    }
}

// An internal collective of the headers, executed once for all lanes while they wait. Lanes in
// another operation, which is a finding, are excluded: they have no such argument.
void call_once(const Block& block, unsigned base, unsigned mask) {
    Collective* lanes[32] = {};
    unsigned present = 0;
    const auto work = reinterpret_cast<Collective*>(block.values[base + static_cast<unsigned>(
                                                        __builtin_ctz(mask))])->work;
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        Collective* const brought = reinterpret_cast<Collective*>(block.values[base + lane]);
        if (op_of(block.requests[base + lane]) >= CUSIM_CALL && brought->work == work) {
            lanes[lane] = brought;
            present |= 1u << lane;
        }
    }
    work(lanes, present);
}

void perform(Block& block, unsigned warp, unsigned mask, int op) {
    const unsigned base = warp * 32;
    if (is_shuffle(op)) {
        if (mask != 0xffffffffu || !shuffle_uniformly(block, base, op)) {
            shuffle(block, base, mask, op);
        }
    } else if (op == CUSIM_SYNC) {
        detect::warp_synchronised(block, warp, mask);
    } else if (op >= CUSIM_CALL) {
        call_once(block, base, mask);
    } else {
        vote(block, base, mask, op);
    }
}

unsigned lanes_with(const Block& block, unsigned base, unsigned mask, int op) {
    unsigned found = 0;
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        found |= static_cast<unsigned>(op_of(block.requests[base + lane]) == op) << lane;
    }
    return found;
}

void complete(Worker& worker, Block& block, unsigned warp, unsigned mask) {
    const unsigned base = warp * 32;
    if (checking) {
        findings::warp_sites(worker, block, warp, mask);
    }
    // Lanes that meet in different operations, which is a finding, get the results of the lanes
    // with the same operation, to avoid follow-up errors.
    for (unsigned left = mask; left;) {
        const int op = op_of(block.requests[base + static_cast<unsigned>(__builtin_ctz(left))]);
        const unsigned group = checking ? lanes_with(block, base, left, op) : left;
        perform(block, warp, group, op);
        left &= ~group;
    }
}

void wake(Block& block, unsigned base, unsigned mask) {
    for (unsigned left = mask; left; left &= left - 1) {
        block.push(base + static_cast<unsigned>(__builtin_ctz(left)));
    }
}

// The last lane has arrived: it continues at once, and the others after it.
__attribute__((noinline)) void finish(Worker& worker, Block& block, unsigned rank, unsigned mask) {
    const unsigned warp = rank / 32;
    block.warps[warp].arrived &= ~mask;
    complete(worker, block, warp, mask);
    wake(block, warp * 32, mask & ~(1u << (rank & 31)));
    cusim_result = block.results[rank];
}

// Whether all lanes that wait for exactly this mask, and have not ended, are there.
bool is_complete(const Block& block, unsigned warp, unsigned mask) {
    const Warp& state = block.warps[warp];
    if (!state.is_mixed) {
        return state.arrived == mask;
    }
    for (unsigned left = mask; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        const unsigned rank = warp * 32 + lane;
        if (!(state.arrived >> lane & 1) ||
            (mask_of(block.requests[rank]) & ~state.exited) != mask) {
            return false;
        }
    }
    return true;
}

}  // namespace

void lane_exited(Block& block, Thread& thread) {
    const unsigned warp = thread.rank / 32;
    Warp& state = block.warps[warp];
    state.exited |= 1u << (thread.rank & 31);
    if (CUSIM_LIKELY(state.arrived == 0)) {
        return;
    }
    // Some lanes may have waited for this lane only.
    state.is_mixed = true;
    for (unsigned left = state.arrived; left; left &= left - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
        const unsigned mask = mask_of(block.requests[warp * 32 + lane]) & ~state.exited;
        if (is_complete(block, warp, mask)) {
            state.arrived &= ~mask;
            complete(*worker, block, warp, mask);
            wake(block, warp * 32, mask);
            left &= state.arrived | 1u << lane;
        }
    }
}

bool resolve_active(Worker& worker, Block& block) {
    bool found = false;
    const unsigned num_threads = worker.launch->num_threads;
    for (unsigned warp = 0; warp * 32 < num_threads; warp++) {
        unsigned asking = 0;
        for (unsigned lane = 0; lane < 32 && warp * 32 + lane < num_threads; lane++) {
            asking |= static_cast<unsigned>(block.threads[warp * 32 + lane].state == State::active)
                      << lane;
        }
        while (asking) {
            const Waiting* const details = block.details + warp * 32;
            const int site = details[__builtin_ctz(asking)].site;
            unsigned group = 0;
            for (unsigned left = asking; left; left &= left - 1) {
                const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
                group |= static_cast<unsigned>(details[lane].site == site) << lane;
            }
            for (unsigned left = group; left; left &= left - 1) {
                const unsigned rank = warp * 32 + static_cast<unsigned>(__builtin_ctz(left));
                block.results[rank] = group;
                block.threads[rank].state = State::ready;
                block.push(rank);
            }
            asking &= ~group;
            found = true;
        }
    }
    return found;
}

}  // namespace cusim

using cusim::worker;

extern "C" void cusim_warp_begin(uint64_t request, uint64_t value, int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        cusim_result = value;
        return;
    }
    cusim::Block& block = *me->block;
    cusim::Thread& thread = *me->current;
    const unsigned rank = thread.rank, warp = rank / 32, bit = 1u << (rank & 31);
    cusim::Warp& state = block.warps[warp];
    if (cusim::checking) {
        void* const pc = __builtin_return_address(0);
        block.details[rank] = {pc, site};
        cusim::findings::warp_mask(*me, thread, cusim::mask_of(request), pc, cusim::op_of(request));
        cusim::detect::counted_warp_operation(pc, cusim::op_of(request));
    }
    // Lanes do not wait for lanes that the block does not have or that have ended.
    const unsigned named = cusim::mask_of(request) & state.lanes & ~state.exited;
    // A lane outside of its own mask is not waited for by the others.
    const unsigned mask = named & bit ? named : bit;
    block.requests[rank] = uint64_t{mask} << 32 | (request & 0xffffffffu);
    block.values[rank] = value;
    state.is_mixed = state.arrived != 0 && (state.is_mixed || state.mask != mask);
    state.mask = mask;
    state.arrived |= bit;
    if (CUSIM_LIKELY(!state.is_mixed) ? state.arrived == mask
                                      : cusim::is_complete(block, warp, mask)) {
        cusim::finish(*me, block, rank, mask);
        return;
    }
    return cusim::go_next(*me, block, thread);
}

extern "C" uint64_t cusim_warp_result() { return cusim_result; }

extern "C" unsigned cusim_active(int site) {
    cusim::Worker* const me = worker;
    if (!me || !me->in_kernel) {
        return 1;
    }
    cusim::Thread& thread = *me->current;
    thread.state = cusim::State::active;
    me->block->details[thread.rank].site = site;
    me->block->details[thread.rank].pc = __builtin_return_address(0);
    cusim::go_next(*me, *me->block, thread);
    return static_cast<unsigned>(cusim_result);
}
