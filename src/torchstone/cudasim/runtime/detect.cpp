// The check build: each access is looked at before it is done. The compiler calls the hooks that it
// would call for ThreadSanitizer; none of that library is linked.
#if CUSIM_CHECK

#include "detect.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "counters.h"
#include "faults.h"
#include "findings.h"
#include "heap.h"
#include "memory.h"
#include "order.h"
#include "places.h"
#include "runtime.h"
#include "shadow.h"

namespace cusim::detect {

void order_launch_started();
void order_block_started(Block& block);
void order_block_entered(Block& block);
void order_barrier_released();
void order_grid_released(const std::vector<Block*>& blocks);

namespace {

Cell* global_cells = nullptr;
Cell* running_cells = nullptr;  // of the shared memory of the block that runs
// The allocations in which the last accesses lay: a kernel goes to and fro between a few, and to find
// one anew takes a lock and a walk through a tree.
struct Near {
    uintptr_t begin, end;
};
constexpr unsigned num_near = 4;
Near nearby[num_near] = {};
unsigned oldest_near = 0;

inline bool is_near(uintptr_t at, size_t size) {
    for (const Near& one : nearby) {
        if (at >= one.begin && at + size <= one.end) {
            return true;
        }
    }
    return false;
}

void forget_near() { std::memset(nearby, 0, sizeof nearby); }

struct SharedVariable {
    const char* name;
    size_t begin, size;
};
std::vector<SharedVariable>& shared_variables() {
    static auto& kept = *new std::vector<SharedVariable>;
    return kept;
}
// By words: whether all four bytes belong to a variable of the launch.
uint8_t is_shared_word[2 * shared_space / 4];

struct SymbolShadow {
    uintptr_t begin, end;
    std::vector<Cell> cells;
};
std::vector<SymbolShadow>& symbol_shadows() {
    static auto& kept = *new std::vector<SymbolShadow>;
    return kept;
}

struct Image {
    uintptr_t begin, end;
};
Image program{}, runtime{};

Cell* map_cells(size_t words) {
    void* const made = mmap(nullptr, words * sizeof(Cell), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? nullptr : static_cast<Cell*>(made);
}

Image image_of(const void* address) {
    Dl_info info{};
    if (!dladdr(address, &info)) {
        return {};
    }
    Image found{reinterpret_cast<uintptr_t>(info.dli_fbase), 0};
    dl_iterate_phdr(
        [](dl_phdr_info* each, size_t, void* data) {
            Image& wanted = *static_cast<Image*>(data);
            uintptr_t begin = ~uintptr_t{0}, end = 0;
            for (int i = 0; i < each->dlpi_phnum; i++) {
                if (each->dlpi_phdr[i].p_type == PT_LOAD) {
                    const uintptr_t at = each->dlpi_addr + each->dlpi_phdr[i].p_vaddr;
                    begin = std::min(begin, at & ~uintptr_t{4095});
                    end = std::max(end, at + each->dlpi_phdr[i].p_memsz);
                }
            }
            if (begin == wanted.begin) {
                wanted.end = end;
                return 1;
            }
            return 0;
        },
        &found);
    return found;
}

Cell* shared_cells(Block& block) {
    if (!block.shared_cells) {
        block.shared_cells = map_cells(2 * shared_space / 4);
    }
    return static_cast<Cell*>(block.shared_cells);
}

// What most reads are: of a word that this thread, its warp or many have read since the last barrier,
// and that nobody has written since. Nothing new can be found, and nothing is to be remembered.
inline bool is_old_news(const Cell& cell) {
    if (cell.read_epoch != now || cell.write_epoch == now || cell.read_bytes != 15 ||
        cell.is_atomic_read) {
        return false;
    }
    const unsigned me = cusim_rank;
    return cell.reader == several_warps || cell.reader == me ||
           (cell.reader == (lanes_of_one_warp | (me & ~31u)) &&
            cell.read_clock == clocks[me] && (cell.read_lanes >> (me & 31) & 1));
}

void visit_words(Cell* cells, const Access& access, Space space) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(access.address);
    const unsigned inside = address & 3;
    if (inside + access.size <= 4) {
        visit(*cells, ((1u << access.size) - 1) << inside, access, space);
        return;
    }
    Access part = access;
    unsigned done = 0;
    for (Cell* cell = cells; done < access.size; cell++) {
        const unsigned from = done == 0 ? inside : 0;
        const unsigned count = std::min(4 - from, access.size - done);
        part.address = reinterpret_cast<void*>(address + done);
        visit(*cell, ((1u << count) - 1) << from, part, space);
        done += count;
    }
}

[[noreturn]] __attribute__((noinline)) void wild(const char* kind, const char* space,
                                                 std::string detail, const Access& access,
                                                 int error) {
    findings::Finding finding;
    finding.kind = kind;
    finding.space = space;
    finding.detail = std::move(detail);
    finding.at = findings::here(access.pc, access.is_write);
    finding.access_bytes = access.size;
    finding.address = reinterpret_cast<uint64_t>(access.address);
    memory::Allocation near;
    if (memory::is_device(access.address) && memory::find(access.address, near)) {
        finding.offset = static_cast<const char*>(access.address) - near.begin;
        finding.allocation_bytes = near.size;
    } else if (*space == 's') {
        describe_place(finding, access.address, Space::shared);
    }
    findings::add(finding);
    leave_kernel(error);
}

__attribute__((noinline)) void find_allocation(const Access& access) {
    memory::Allocation found;
    const uintptr_t address = reinterpret_cast<uintptr_t>(access.address);
    if (memory::find(access.address, found)) {
        const uintptr_t begin = reinterpret_cast<uintptr_t>(found.begin);
        if (address >= begin && address + access.size <= begin + found.size) {
            if (found.is_freed) {
                wild("use-after-free", "global", "this memory was freed before", access,
                     cudaErrorIllegalAddress);
            }
            nearby[oldest_near++ % num_near] = {begin, begin + found.size};
            return;
        }
    }
    wild("out-of-bounds", "global", "no allocation holds this address", access,
         cudaErrorIllegalAddress);
}

void check_shared(size_t offset, const Access& access) {
    if (is_shared_word[offset / 4] && is_shared_word[(offset + access.size - 1) / 4]) {
        return;
    }
    if (offset >= shared_space) {
        if (offset + access.size > shared_space + worker->launch->dynamic_bytes) {
            wild("out-of-bounds", "shared",
                 "the launch gave " + std::to_string(worker->launch->dynamic_bytes) +
                     " bytes of dynamic shared memory",
                 access, cudaErrorIllegalAddress);
        }
        return;
    }
    for (const SharedVariable& one : shared_variables()) {
        if (offset >= one.begin && offset + access.size <= one.begin + one.size) {
            return;
        }
    }
    wild("out-of-bounds", "shared", "no __shared__ variable holds this address", access,
         cudaErrorIllegalAddress);
}

void set_shared_words(size_t begin, size_t size) {
    std::memset(is_shared_word + (begin + 3) / 4, 1, (begin + size) / 4 - (begin + 3) / 4);
}

SymbolShadow* find_symbol_shadow(uintptr_t address) {
    for (SymbolShadow& one : symbol_shadows()) {
        if (address >= one.begin && address < one.end) {
            return &one;
        }
    }
    memory::Symbol symbol;
    if (!memory::find_symbol(reinterpret_cast<void*>(address), symbol)) {
        return nullptr;
    }
    SymbolShadow made;
    made.begin = reinterpret_cast<uintptr_t>(symbol.begin);
    made.end = made.begin + symbol.size;
    made.cells.resize((made.end + 3) / 4 - made.begin / 4);
    for (Cell& cell : made.cells) {
        cell.is_set = 15;  // with what its declaration says, or with zero
    }
    symbol_shadows().push_back(std::move(made));
    return &symbol_shadows().back();
}

// Neither device memory nor shared memory.
__attribute__((noinline)) void elsewhere(const Access& access) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(access.address);
    if (is_on_a_stack(access.address)) {
        return;  // local memory
    }
    if (memory::is_registered(access.address, access.size) || heap::holds(access.address)) {
        return;  // the host's memory that the device may touch, and what kernels allocate
    }
    if (SymbolShadow* const shadow = find_symbol_shadow(address)) {
        if (address + access.size > shadow->end) {
            wild("out-of-bounds", "global", "an access over the end of a variable", access,
                 cudaErrorIllegalAddress);
        }
        if (!access.is_atomic) {
            count_symbol(access.pc, address, access.size, access.is_write);
        }
        visit_words(&shadow->cells[address / 4 - shadow->begin / 4], access, Space::symbol);
        return;
    }
    memory::Symbol before;
    if (address >= program.begin && address < program.end && memory::find_symbol_before(access.address, before)) {
        wild("out-of-bounds", "global",
             "an access behind the end of the variable " + std::string(before.name), access,
             cudaErrorIllegalAddress);
    }
    const char* const arguments = worker->launch->arguments;
    const auto in = [&](const Image& image) { return address >= image.begin && address < image.end; };
    if (in(program) || in(runtime) ||
        (access.address >= arguments && access.address < arguments + sizeof(LaunchState::arguments))) {
        return;
    }
    if (address < 4096) {
        wild("out-of-bounds", "global", "a null pointer, or an offset from one", access,
             cudaErrorIllegalAddress);
    }
    wild("host-pointer", "host", "this is memory of the host, not of the device", access,
         cudaErrorIllegalAddress);
}

// Code of the host that was compiled with the program.
__attribute__((noinline)) void from_host(const Access& access) {
    if (!memory::is_device(access.address)) {
        return;
    }
    memory::Allocation found;
    if (memory::find(access.address, found) && found.kind != memory::Kind::device &&
        !found.is_freed) {
        return;
    }
    findings::Finding finding;
    finding.kind = "device-pointer";
    finding.space = "global";
    finding.detail = "the host touches memory of the device; copy it with cudaMemcpy";
    finding.at = findings::here(access.pc, access.is_write);
    finding.access_bytes = access.size;
    describe_place(finding, access.address, Space::global);
    findings::add(finding);
}

constexpr unsigned a_write = 1, an_atomic = 2, aligned = 4, in_block = 8, comparing = 16;

// All that an access can be.
__attribute__((noinline)) void look_closely(void* address, unsigned size, unsigned how, void* pc) {
    const Access access{address, pc, size, (how & a_write) != 0, (how & an_atomic) != 0,
                        (how & in_block) != 0, (how & comparing) != 0};
    Worker* const me = worker;
    if (!me || !me->in_kernel) {
        from_host(access);
        return;
    }
    const uintptr_t at = reinterpret_cast<uintptr_t>(address);
    const bool is_global = memory::is_device(address);
    const size_t in_shared = at - cusim_shared_base;
    if (!is_global && in_shared >= 2 * shared_space) {
        elsewhere(access);
        return;
    }
    if ((how & aligned) && (at & (size - 1))) {
        wild("misaligned", is_global ? "global" : "shared",
             "an access of " + std::to_string(size) + " bytes at an address that is no multiple of it",
             access, cudaErrorMisalignedAddress);
    }
    if (!is_global) {
        check_shared(in_shared, access);
    } else if (!CUSIM_LIKELY(is_near(at, size))) {
        find_allocation(access);
    }
    if (!access.is_atomic) {
        count_access(pc, at, size, access.is_write, !is_global);
    }
    if (is_global) {
        visit_words(global_cells + (at - reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4, access,
                    Space::global);
    } else {
        visit_words(static_cast<Cell*>(me->block->shared_cells) + in_shared / 4, access,
                    Space::shared);
    }
}

// A read of one word that tells nothing new is let through here; everything else is looked at closely.
inline void look(void* address, unsigned size, unsigned how, void* pc) {
    Worker* const me = worker;
    if (CUSIM_LIKELY(me && me->in_kernel)) {
        me->last_pc = pc;
        if (__builtin_expect(faults::is_time_up(), 0)) {
            faults::leave_for_time(pc);
        }
        const uintptr_t at = reinterpret_cast<uintptr_t>(address);
        if (size == 4 && how == aligned && (at & 3) == 0 && !is_counting) {
            const size_t in_shared = at - cusim_shared_base;
            const Cell* cell = nullptr;
            if (in_shared < 2 * shared_space) {
                cell = is_shared_word[in_shared / 4] ? running_cells + in_shared / 4 : nullptr;
            } else if (is_near(at, 4)) {
                cell = global_cells + (at - reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4;
            }
            if (cell && is_old_news(*cell)) {
                return;
            }
        }
    }
    return look_closely(address, size, how, pc);
}

void set_range(const void* address, size_t size, bool is_set) {
    if (!memory::is_device(address) || size == 0) {
        return;
    }
    const uintptr_t begin = reinterpret_cast<uintptr_t>(address) -
                            reinterpret_cast<uintptr_t>(memory::arena_begin);
    if (!global_cells) {
        global_cells = map_cells(memory::arena_size / 4);
    }
    for (size_t word = begin / 4; word * 4 < begin + size; word++) {
        Cell& cell = global_cells[word];
        const size_t low = word * 4 < begin ? begin - word * 4 : 0;
        const size_t high = std::min<size_t>(4, begin + size - word * 4);
        const uint8_t bytes = static_cast<uint8_t>(((1u << high) - 1) & ~((1u << low) - 1));
        cell.is_set = static_cast<uint8_t>(is_set ? cell.is_set | bytes : cell.is_set & ~bytes);
    }
}

}  // namespace

uint32_t code_offset(const void* pc) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc) - program.begin);
}
void* code_address(uint32_t offset) { return reinterpret_cast<void*>(program.begin + offset); }

void describe_place(findings::Finding& finding, const void* address, Space space) {
    finding.address = reinterpret_cast<uint64_t>(address);
    memory::Allocation found;
    memory::Symbol symbol;
    if (space == Space::shared) {
        finding.space = "shared";
        const size_t offset = reinterpret_cast<uintptr_t>(address) - cusim_shared_base;
        if (offset >= shared_space) {
            finding.variable = "dynamic shared memory";
            finding.offset = static_cast<int64_t>(offset - shared_space);
            finding.allocation_bytes = worker->launch->dynamic_bytes;
            return;
        }
        const SharedVariable* nearest = nullptr;
        for (const SharedVariable& one : shared_variables()) {
            // The one in which the address lies, or behind which, or else the first.
            if (!nearest || (one.begin <= offset + 64 && one.begin > nearest->begin)) {
                nearest = &one;
            }
        }
        if (nearest) {
            finding.variable = nearest->name;
            finding.offset = static_cast<int64_t>(offset) - static_cast<int64_t>(nearest->begin);
            finding.allocation_bytes = nearest->size;
        }
    } else if (space == Space::symbol && memory::find_symbol(address, symbol)) {
        finding.space = "global";
        finding.variable = symbol.name;
        finding.offset = static_cast<const char*>(address) - symbol.begin;
        finding.allocation_bytes = symbol.size;
    } else if (memory::find(address, found)) {
        finding.space = "global";
        finding.offset = static_cast<const char*>(address) - found.begin;
        finding.allocation_bytes = found.size;
    }
}

void launch_started(const LaunchState& launch) {
    memory::arena();
    if (!global_cells) {
        global_cells = map_cells(memory::arena_size / 4);
    }
    program = image_of(reinterpret_cast<void*>(launch.call));
    runtime = image_of(reinterpret_cast<void*>(&launch_started));
    forget_near();
    shared_variables().clear();
    std::memset(is_shared_word, 0, sizeof is_shared_word);
    set_shared_words(shared_space, launch.dynamic_bytes);
    order_launch_started();
    count_launch_started(launch);
}
void launch_ended() {
    tell_suspicions();
    count_launch_ended();
}

void block_started(Block& block) {
    running_cells = shared_cells(block);
    order_block_started(block);
    count_block_started(block);
}
void block_entered(Block& block) {
    running_cells = shared_cells(block);
    order_block_entered(block);
    count_block_entered(block);
}
void block_ended(Block& block) {
    tell_pending();
    count_interval_ended(block);
}
void barrier_released(Block& block) {
    tell_pending();
    count_interval_ended(block);
    order_barrier_released();
}
void grid_released() { order_grid_released(cooperative_blocks()); }

// Fresh memory has fresh cells, in which nothing is set.
void allocated(const void* address, size_t size) {
    memory::Allocation found;
    if (memory::find_unlocked(address, found) && found.kind != memory::Kind::device) {
        set_range(address, size, true);
    }
}
void freed(const void* address, size_t size) {
    forget_near();
    if (!global_cells || size == 0) {
        return;
    }
    const size_t first = (reinterpret_cast<uintptr_t>(address) -
                          reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4;
    char* const begin = reinterpret_cast<char*>(global_cells + first);
    char* const end = reinterpret_cast<char*>(global_cells + first + (size + 3) / 4);
    // Whole pages are given back, which empties them; what is left at the ends is emptied by hand.
    char* const first_page = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(begin) + 4095) & ~uintptr_t{4095});
    char* const last_page = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(end) & ~uintptr_t{4095});
    if (first_page >= last_page) {
        std::memset(begin, 0, static_cast<size_t>(end - begin));
        return;
    }
    std::memset(begin, 0, static_cast<size_t>(first_page - begin));
    madvise(first_page, static_cast<size_t>(last_page - first_page), MADV_DONTNEED);
    std::memset(last_page, 0, static_cast<size_t>(end - last_page));
}
void written_by_host(const void* address, size_t size) { set_range(address, size, true); }
void copied(void* to, const void* from, size_t size) {
    if (!memory::is_device(to) || !memory::is_device(from) || ((reinterpret_cast<uintptr_t>(to) ^ reinterpret_cast<uintptr_t>(from)) & 3)) {
        set_range(to, size, true);
        return;
    }
    const auto word = [](const void* at) {
        return (reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4;
    };
    for (size_t i = 0; i * 4 < size; i++) {
        global_cells[word(to) + i].is_set = global_cells[word(from) + i].is_set;
    }
}
void shared_declared(const SharedSlot& slot) {
    shared_variables().push_back({slot.name, slot.offset, slot.size});
    set_shared_words(slot.offset, slot.size);
    count_shared_declared(slot.size);
}

}  // namespace cusim::detect

using namespace cusim::detect;

extern "C" void cusim_atomic_access(void* address, unsigned size, bool within_block,
                                    bool is_comparing) {
    void* const pc = __builtin_return_address(0);
    cusim::Worker* const me = cusim::worker;
    if (me && me->in_kernel) {
        if (!within_block) {
            cusim::detect::synchronise_through(address);
        }
        cusim::detect::count_atomic(pc, reinterpret_cast<uintptr_t>(address), size);
    }
    const unsigned how = an_atomic | aligned | (within_block ? in_block : 0) |
                         (is_comparing ? comparing : 0);
    look(address, size, how, pc);
    look(address, size, how | a_write, pc);
}

#define CUSIM_HERE __builtin_return_address(0)
#define CUSIM_HOOKS(SIZE)                                                                         \
    void __tsan_read##SIZE(void* at) { look(at, SIZE, aligned, CUSIM_HERE); }                     \
    void __tsan_write##SIZE(void* at) { look(at, SIZE, aligned | a_write, CUSIM_HERE); }          \
    void __tsan_unaligned_read##SIZE(void* at) { look(at, SIZE, 0, CUSIM_HERE); }                 \
    void __tsan_unaligned_write##SIZE(void* at) { look(at, SIZE, a_write, CUSIM_HERE); }          \
    void __tsan_volatile_read##SIZE(void* at) { look_volatile(at, SIZE, 0, CUSIM_HERE); }         \
    void __tsan_volatile_write##SIZE(void* at) { look_volatile(at, SIZE, a_write, CUSIM_HERE); }

// In global memory a volatile access is a strong one, by which flags are passed on; it takes part in
// the order as an atomic access does. In shared memory it has never been a substitute for a barrier.
static void look_volatile(void* address, unsigned size, unsigned how, void* pc) {
    cusim::Worker* const me = cusim::worker;
    const bool is_strong = me && me->in_kernel && cusim::memory::is_device(address);
    if (is_strong) {
        cusim::detect::synchronise_through(address);
        count_access(pc, reinterpret_cast<uintptr_t>(address), size, (how & a_write) != 0, false);
    }
    look(address, size, how | aligned | (is_strong ? an_atomic : 0), pc);
}

static void look_at_range(void* address, size_t size, bool is_write, void* pc) {
    char* at = static_cast<char*>(address);
    while (size) {
        const bool by_words = (reinterpret_cast<uintptr_t>(at) & 3) == 0 && size >= 4;
        const unsigned step = by_words ? 4 : 1;
        look(at, step, is_write ? a_write : 0, pc);
        at += step;
        size -= step;
    }
}

extern "C" {
CUSIM_HOOKS(1)
CUSIM_HOOKS(2)
CUSIM_HOOKS(4)
CUSIM_HOOKS(8)
CUSIM_HOOKS(16)
void __tsan_read_range(void* at, size_t size) { look_at_range(at, size, false, CUSIM_HERE); }
void __tsan_write_range(void* at, size_t size) { look_at_range(at, size, true, CUSIM_HERE); }
void* __tsan_memcpy(void* to, const void* from, size_t size) {
    look_at_range(const_cast<void*>(from), size, false, CUSIM_HERE);
    look_at_range(to, size, true, CUSIM_HERE);
    return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
    look_at_range(const_cast<void*>(from), size, false, CUSIM_HERE);
    look_at_range(to, size, true, CUSIM_HERE);
    return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, size_t size) {
    look_at_range(to, size, true, CUSIM_HERE);
    return std::memset(to, value, size);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
}

#endif
