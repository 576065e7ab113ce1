// The check build: each access is checked before it is executed. The compiler calls the hooks of
// ThreadSanitizer; its library is not linked.
#if CUSIM_CHECK

#include "detect.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "counters.h"
#include "faults.h"
#include "findings.h"
#include "heap.h"
#include "memory.h"
#include "order.h"
#include "places.h"
#include "regions.h"
#include "runtime.h"
#include "shadow.h"
#include "wild.h"

namespace cusim::detect {
namespace {

using findings::say;

// The fast path of a read: this thread, its warp or many threads have read the word since the last
// barrier, and no thread has written it since. The read cannot reveal anything new, and its state
// is already recorded.
inline bool is_old_news(Cell& cell) {
    if (cell.read_epoch != now || cell.write_epoch == now || cell.read_bytes != 15 ||
        cell.is_atomic_read) {
        return false;
    }
    const unsigned me = cusim_rank;
    if (cell.reader == several_warps || cell.reader == me) {
        return true;
    }
    const uint32_t lane = 1u << (me & 31);
    if (cell.reader != (lanes_of_one_warp | (me & ~31u)) || cell.read_clock != clocks[me]) {
        return false;
    }
    // Adds a lane to the readers of a word within one warp.
    const bool joins = !is_finely_ordered || (cell.read_lanes & lane);
    cell.read_lanes |= joins ? lane : 0;
    return joins;
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
        part.copied = access.copied ? access.copied + done : nullptr;
        visit(*cell, ((1u << count) - 1) << from, part, space);
        done += count;
    }
}

bool is_mapped(uintptr_t address) {
    const uintptr_t page = page_bytes();
    unsigned char unused;
    return mincore(reinterpret_cast<void*>(address / page * page), 1, &unused) == 0;
}

// threadIdx and similar variables: constants for the compiler, unless their address is taken.
bool is_of_this_thread(uintptr_t address) {
    const auto is_in = [&](const auto& variable) {
        return address - reinterpret_cast<uintptr_t>(&variable) < sizeof variable;
    };
    return is_in(threadIdx) || is_in(blockIdx) || is_in(cusim_rank) || is_in(cusim_shared_base) ||
           is_in(cusim_result);
}

// Outside of device memory and shared memory.
__attribute__((noinline)) void elsewhere(const Access& access) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(access.address);
    if (is_on_a_stack(access.address)) {
        return;  // local memory
    }
    if (is_of_this_thread(address)) {
        return;
    }
    if (memory::is_registered(access.address, access.size) || heap::holds(access.address)) {
        return;  // host memory accessible to the device, and allocations of kernels
    }
    if (SymbolShadow* const shadow = find_symbol_shadow(address)) {
        if (address + access.size > shadow->end) {
            wild("out-of-bounds", "global", say("over-variable-end"), access,
                 cudaErrorIllegalAddress);
        }
        if (!access.is_atomic) {
            count_symbol(access.pc, address, access.size, access.is_write);
        }
        visit_words(&shadow->cells[address / 4 - shadow->begin / 4], access, Space::symbol);
        return;
    }
    memory::Symbol before;
    // The last variable of the program may end at the end of the program.
    if (address >= program.begin && address <= program.end &&
        memory::find_symbol_before(access.address, before)) {
        wild("out-of-bounds", "global", say("behind-variable", {{"variable", before.name}}), access,
             cudaErrorIllegalAddress);
    }
    const char* const arguments = worker->launch->arguments;
    if (program.holds(address) || runtime.holds(address) ||
        (access.address >= arguments &&
         access.address < arguments + sizeof(LaunchState::arguments))) {
        return;
    }
    if (address < 4096) {
        wild("out-of-bounds", "global", say("null-pointer"), access,
             cudaErrorIllegalAddress);
    }
    if (!is_mapped(address)) {
        wild("out-of-bounds", "global", say("no-device-memory"), access, cudaErrorIllegalAddress);
    }
    wild("host-pointer", "host", say("host-memory"), access, cudaErrorIllegalAddress);
}

// Host code compiled with the program.
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
    finding.detail = {say("touched-by-host")};
    finding.at = findings::here(access.pc, access.is_write);
    finding.access_bytes = access.size;
    describe_place(finding, access.address, Space::global);
    findings::add(finding);
}

constexpr unsigned a_write = 1, an_atomic = 2, aligned = 4, in_block = 8, comparing = 16;

// Slow path with all kinds of accesses.
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
             say("no-multiple", {{"bytes", size}}), access, cudaErrorMisalignedAddress);
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
        visit_words(global_cells + (at - reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4,
                    access, Space::global);
    } else {
        visit_words(static_cast<Cell*>(me->block->shared_cells) + in_shared / 4, access,
                    Space::shared);
    }
}

// A read of one word that reveals nothing new takes the fast path; all others the slow one.
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
            Cell* cell = nullptr;
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

}  // namespace

void copy_begun(void* to, const void* value, unsigned size, void* pc) {
    Worker* const me = worker;
    me->last_pc = pc;
    Access access{to, pc, size, true, false};
    access.copied = static_cast<const char*>(value);
    const uintptr_t at = reinterpret_cast<uintptr_t>(to);
    check_shared(at - cusim_shared_base, access);
    count_access(pc, at, size, true, true);
    visit_words(running_cells + (at - cusim_shared_base) / 4, access, Space::shared);
}

}  // namespace cusim::detect

using namespace cusim::detect;

static void look_at_atomic(void* address, unsigned size, unsigned how, bool is_read,
                           bool is_written, void* pc) {
    cusim::Worker* const me = cusim::worker;
    if (me && me->in_kernel) {
        cusim::detect::synchronise_through(address, (how & in_block) != 0);
        cusim::detect::count_atomic(pc, reinterpret_cast<uintptr_t>(address), size);
    }
    how |= an_atomic | aligned;
    if (is_read) {
        look(address, size, how, pc);
    }
    if (is_written) {
        look(address, size, how | a_write, pc);
    }
}

// The cell of the first word of an access; null if there is none.
static const Cell* find_cell(uintptr_t at) {
    const size_t in_shared = at - cusim_shared_base;
    if (cusim::memory::is_device(reinterpret_cast<void*>(at))) {
        return global_cells + (at - reinterpret_cast<uintptr_t>(cusim::memory::arena_begin)) / 4;
    }
    if (in_shared < 2 * cusim::shared_space) {
        return running_cells + in_shared / 4;
    }
    const SymbolShadow* const shadow = find_symbol_shadow(at);
    return shadow ? &shadow->cells[at / 4 - shadow->begin / 4] : nullptr;
}

extern "C" void cusim_atomic_access(void* address, unsigned size, bool within_block,
                                    bool is_comparing) {
    if (is_comparing && cusim_in_kernel()) {
        if (const Cell* const cell = find_cell(reinterpret_cast<uintptr_t>(address))) {
            note_look(*cell);
        }
    }
    cusim::give_way_at(__builtin_return_address(0));
    const unsigned how = (within_block ? in_block : 0) | (is_comparing ? comparing : 0);
    look_at_atomic(address, size, how, true, true, __builtin_return_address(0));
}

void cusim::detect::accessed_atomically(void* address, unsigned size, bool is_read, bool is_written,
                                        void* pc) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(address);
    if (worker && worker->in_kernel && program.holds(at) && !find_symbol_shadow(at)) {
        return;  // guard of a local static
    }
    look_at_atomic(address, size, 0, is_read, is_written, pc);
}

#define CUSIM_HERE __builtin_return_address(0)
#define CUSIM_HOOKS(SIZE)                                                                         \
    void __tsan_read##SIZE(void* at) { look(at, SIZE, aligned, CUSIM_HERE); }                     \
    void __tsan_write##SIZE(void* at) { look(at, SIZE, aligned | a_write, CUSIM_HERE); }          \
    void __tsan_unaligned_read##SIZE(void* at) { look(at, SIZE, 0, CUSIM_HERE); }                 \
    void __tsan_unaligned_write##SIZE(void* at) { look(at, SIZE, a_write, CUSIM_HERE); }          \
    void __tsan_volatile_read##SIZE(void* at) { look_volatile(at, SIZE, 0, CUSIM_HERE); }         \
    void __tsan_volatile_write##SIZE(void* at) { look_volatile(at, SIZE, a_write, CUSIM_HERE); }  \
    void __tsan_unaligned_volatile_read##SIZE(void* at) {                                         \
        look_volatile(at, SIZE, 0, CUSIM_HERE);                                                   \
    }                                                                                             \
    void __tsan_unaligned_volatile_write##SIZE(void* at) {                                        \
        look_volatile(at, SIZE, a_write, CUSIM_HERE);                                             \
    }

// In global memory a volatile access is a strong access, used to pass flags; it takes part in the
// order like an atomic access. In shared memory volatile has never been a substitute for a barrier.
static bool is_in_global_memory(void* address) {
    cusim::memory::Symbol symbol;
    return cusim::memory::is_device(address) || cusim::memory::find_symbol(address, symbol);
}
static void look_volatile(void* address, unsigned size, unsigned how, void* pc) {
    cusim::Worker* const me = cusim::worker;
    if (me && me->in_kernel && !(how & a_write)) {
        // Repeated reads are a spin loop: another thread, which it waits for, must run first.
        cusim_spin(address);
    }
    const bool is_strong = me && me->in_kernel && is_in_global_memory(address);
    if (is_strong) {
        cusim::give_way_at(pc);
        cusim::detect::synchronise_through(address, false);
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
// clang up to version 14 calls the library functions; the linker replaces them by these (--wrap).
__attribute__((alias("__tsan_memcpy"))) void* __wrap_memcpy(void*, const void*, size_t);
__attribute__((alias("__tsan_memmove"))) void* __wrap_memmove(void*, const void*, size_t);
__attribute__((alias("__tsan_memset"))) void* __wrap_memset(void*, int, size_t);
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
}

#endif
