// Model of the memory system, per instruction: the accesses of a warp's lanes at one location are
// combined, the i-th access of each lane with the i-th of the others.
#include "counters.h"

#if CUSIM_CHECK

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "detect.h"
#include "memory.h"
#include "requests.h"
#include "tallies.h"

namespace cusim::detect {
namespace {

// Blocks of a kernel behave alike: this many blocks per launch, spread over its grid, are sampled.
// Of small blocks more are sampled, up to this number of threads. A decision by the counts has all
// blocks counted.
constexpr uint64_t min_counted_blocks = 8;
constexpr uint64_t counted_threads = 2048;
// Requests per location between two barriers. A longer loop is represented by its first iterations.
constexpr uint32_t max_requests = 1024, max_requests_of_all = 1 << 16;
CountedBlocks which = CountedBlocks::some;

struct PlaceRequests {
    void* pc;
    Counted what;
    unsigned size;
    uint32_t next[32];  // index of each lane's next request
    std::vector<LaneAccesses> requests;
};

struct WarpRequests {
    std::vector<PlaceRequests> places;
    size_t last = 0;
};

struct CountedBlock {
    unsigned launch = 0;  // of its locations
    bool is_counted = false;
    bool has_shared_store = false;
    std::unordered_set<uintptr_t> loaded_sectors;
    WarpRequests warps[max_warps];
};

Launches* now_running = nullptr;
size_t declared_bytes = 0;
CountedBlock* current = nullptr;

void look_at(CountedBlock* block) {
    current = block;
    is_counting = block != nullptr;
}

CountedBlock& counted_of(Block& block) {
    if (!block.counted) {
        block.counted = new CountedBlock;
    }
    return *static_cast<CountedBlock*>(block.counted);
}

CountedBlock* find_open(Block& block) {
    CountedBlock& counted = counted_of(block);
    return counted.is_counted ? &counted : nullptr;
}

// Stratified sampling: the grid is divided into as many parts as blocks are counted, and one block
// is drawn from each; with a fixed stride all might lie on the same edge of the grid.
bool is_sampled(const LaunchState& launch, uint64_t number) {
    if (which != CountedBlocks::some) {
        return which == CountedBlocks::all;
    }
    const uint64_t count = launch.num_blocks;
    number -= launch.num_skipped;
    const uint64_t wanted =
        std::min(count, std::max(min_counted_blocks, counted_threads / launch.num_threads));
    const auto first = [&](uint64_t part) {
        return static_cast<uint64_t>(static_cast<unsigned __int128>(part) * count / wanted);
    };
    uint64_t part = static_cast<uint64_t>(static_cast<unsigned __int128>(number) * wanted / count);
    part += part + 1 < wanted && first(part + 1) <= number;
    uint64_t state = part;
    return number == first(part) + draw(state) % (first(part + 1) - first(part));
}

PlaceRequests& place_of(WarpRequests& warp, void* pc, Counted what, unsigned size) {
    const auto is_it = [&](const PlaceRequests& place) {
        return place.pc == pc && place.what == what && place.size == size;
    };
    const size_t count = warp.places.size();
    // Usually the same entry as the last time, or its successor.
    for (size_t guess = warp.last; guess < std::min(count, warp.last + 2); guess++) {
        if (is_it(warp.places[guess])) {
            warp.last = guess;
            return warp.places[guess];
        }
    }
    warp.last = static_cast<size_t>(
        std::find_if(warp.places.begin(), warp.places.end(), is_it) - warp.places.begin());
    if (warp.last == count) {
        warp.places.push_back({pc, what, size, {}, {}});
    }
    return warp.places[warp.last];
}

void add(Totals& total, const PlaceRequests& place, const LaneAccesses& accesses,
         CountedBlock& block) {
    uintptr_t touched[2 * 32];
    total.requests++;
    total.lanes += static_cast<unsigned>(__builtin_popcount(accesses.lanes));
    switch (place.what) {
        case Counted::global_load:
        case Counted::global_store: {
            // The ideal counts each distinct word once, because lanes that read the same word share
            // it.
            const unsigned words = list_units(accesses, place.size, place.size, touched);
            total.ideal_sectors += (words * place.size + sector_bytes - 1) / sector_bytes;
            const unsigned sectors = list_units(accesses, place.size, sector_bytes, touched);
            total.sectors += sectors;
            for (unsigned i = 0; i < sectors && place.what == Counted::global_load; i++) {
                total.fresh_sectors += block.loaded_sectors.insert(touched[i]).second;
            }
            break;
        }
        case Counted::shared_load:
        case Counted::shared_store:
        case Counted::shared_atomic: {
            const Passes passes = count_passes(accesses, place.size);
            total.wavefronts += passes.needed;
            total.ideal_wavefronts += passes.at_best;
            break;
        }
        case Counted::constant_load:
            // The constant cache delivers one word to all lanes at a time.
            total.wavefronts += list_units(accesses, place.size, place.size, touched);
            total.ideal_wavefronts++;
            break;
        case Counted::global_atomic:
            total.sectors += list_units(accesses, place.size, sector_bytes, touched);
            break;
        default:
            break;
    }
    if (place.what == Counted::global_atomic || place.what == Counted::shared_atomic) {
        total.contention += most_on_one_address(accesses);
    }
}

// Adds a location's requests since the last barrier to the totals.
void flush(PlaceRequests& place, CountedBlock& block) {
    Totals found;
    for (const LaneAccesses& accesses : place.requests) {
        add(found, place, accesses, block);
    }
    const uint64_t kept = place.requests.size();
    const uint64_t all = *std::max_element(place.next, place.next + 32);
    Totals& total = now_running->places[{place.pc, place.what, place.size}];
    for (const auto one : all_totals) {
        total.*one += found.*one * all / kept;
    }
    place.requests.clear();
    std::memset(place.next, 0, sizeof place.next);
}

void forget_requests(CountedBlock& block) {
    for (WarpRequests& warp : block.warps) {
        warp.places.clear();
        warp.last = 0;
    }
}

}  // namespace

bool is_counting = false;
std::map<Shape, Launches>& all_launches = *new std::map<Shape, Launches>;

void record_access(Counted what, void* pc, uintptr_t address, unsigned size) {
    current->has_shared_store |= what == Counted::shared_store || what == Counted::shared_atomic;
    const unsigned lane = cusim_rank & 31;
    PlaceRequests& place = place_of(current->warps[cusim_rank / 32], pc, what, size);
    const uint32_t position = place.next[lane]++;
    if (position >= (which == CountedBlocks::all ? max_requests_of_all : max_requests)) {
        return;
    }
    if (position >= place.requests.size()) {
        place.requests.resize(position + 1);
    }
    LaneAccesses& accesses = place.requests[position];
    accesses.lanes |= 1u << lane;
    accesses.addresses[lane] = address;
}

void count_symbol(void* pc, uintptr_t address, unsigned size, bool is_write) {
    memory::Symbol symbol;
    if (!is_counting || !memory::find_symbol(reinterpret_cast<void*>(address), symbol)) {
        return;
    }
    const bool is_constant = symbol.kind == static_cast<int>(SymbolKind::constant);
    record_access(is_constant ? Counted::constant_load
                  : is_write  ? Counted::global_store
                              : Counted::global_load,
                  pc, address, size);
}

void count_atomic(void* pc, uintptr_t address, unsigned size) {
    if (is_counting) {
        const bool is_shared = address - cusim_shared_base < 2 * shared_space;
        record_access(is_shared ? Counted::shared_atomic : Counted::global_atomic, pc, address,
                      size);
    }
}

void counted_barrier(void* pc) {
    if (is_counting) {
        record_access(Counted::barrier, pc, 0, 0);
    }
}

void counted_warp_operation(void* pc, int op) {
    // CUSIM_ACTIVE and CUSIM_CALL are not instructions of a GPU.
    if (!is_counting || op == CUSIM_ACTIVE || op == CUSIM_CALL) {
        return;
    }
    const Counted what = op <= CUSIM_SHFL_XOR ? static_cast<Counted>(
                                                    static_cast<int>(Counted::shuffle_idx) + op)
                         : op <= CUSIM_ALL       ? Counted::vote
                         : op <= CUSIM_MATCH_ALL ? Counted::match
                         : op == CUSIM_SYNC      ? Counted::warp_sync
                                                 : Counted::warp_reduce;
    record_access(what, pc, 0, 0);
}

void count_shared_declared(size_t size) { declared_bytes += size; }

void count_interval_ended(Block& block) {
    CountedBlock* const counted = find_open(block);
    if (!counted) {
        return;
    }
    now_running->store_epochs += counted->has_shared_store;
    counted->has_shared_store = false;
    now_running->barriers += block.num_live != 0;
    for (unsigned warp = 0; warp * 32 < worker->launch->num_threads; warp++) {
        for (PlaceRequests& place : counted->warps[warp].places) {
            if (!place.requests.empty()) {
                flush(place, *counted);
            }
        }
    }
    if (block.num_live == 0) {
        now_running->counted_blocks++;
        counted->is_counted = false;
        look_at(nullptr);
    }
}

void count_launch_started(const LaunchState& launch) {
    const dim3 &grid = launch.grid, &threads = launch.block;
    now_running = &all_launches[{launch.name,
                                 {grid.x, grid.y, grid.z, threads.x, threads.y, threads.z},
                                 launch.dynamic_bytes,
                                 launch.cooperative}];
    now_running->launches++;
    declared_bytes = 0;
    look_at(nullptr);
}

void count_launch_ended() {
    now_running->static_bytes = std::max<uint64_t>(now_running->static_bytes, declared_bytes);
    take_executed(now_running->executed);
    look_at(nullptr);
}

void count_block_started(Block& block) {
    const LaunchState& launch = *worker->launch;
    CountedBlock& counted = counted_of(block);
    counted.is_counted = is_sampled(launch, block.number);
    if (!counted.is_counted) {
        look_at(nullptr);
        return;
    }
    if (counted.launch != cusim_launch_number) {
        counted.launch = cusim_launch_number;
        forget_requests(counted);
    }
    counted.has_shared_store = false;
    counted.loaded_sectors.clear();
    look_at(&counted);
}

void count_block_entered(Block& block) { look_at(find_open(block)); }
void count_block_left() { look_at(nullptr); }

void choose_counted_blocks(CountedBlocks chosen) { which = chosen; }
bool counts_all() { return which == CountedBlocks::all; }

}  // namespace cusim::detect

#endif
