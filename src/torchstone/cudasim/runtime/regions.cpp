// Memory regions of the program, and their changes outside of kernel accesses.
#if CUSIM_CHECK

#include "regions.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "counters.h"
#include "detect.h"
#include "findings.h"
#include "memory.h"
#include "order.h"
#include "places.h"
#include "runtime.h"

namespace cusim::detect {

Cell* global_cells = nullptr;
Cell* running_cells = nullptr;
Near nearby[num_near] = {};
uint8_t is_shared_word[2 * shared_space / 4];
Image program{}, runtime{};

std::vector<SharedVariable>& shared_variables() {
    static auto& kept = *new std::vector<SharedVariable>;
    return kept;
}

namespace {

std::vector<SymbolShadow>& symbol_shadows() {
    static auto& kept = *new std::vector<SymbolShadow>;
    return kept;
}

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
                    // Alignment of the file, independent of the system's page size.
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

void set_shared_words(size_t begin, size_t size) {
    std::memset(is_shared_word + (begin + 3) / 4, 1, (begin + size) / 4 - (begin + 3) / 4);
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
        cell.is_set = 15;  // initialized by its declaration, or with zero
    }
    symbol_shadows().push_back(std::move(made));
    return &symbol_shadows().back();
}

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
            // The one that contains the address, or precedes it, or else the first.
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
    findings::save();
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
void block_left(Block& block) {
    tell_pending();
    order_block_left(block);
    count_block_left();
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

// New memory has zeroed cells, which mean unset.
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
    // Whole pages are released, which zeroes them; the remainders are cleared explicitly.
    const uintptr_t page = page_bytes();
    char* const first_page =
        reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(begin) + page - 1) & -page);
    char* const last_page = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(end) & -page);
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
    const uintptr_t apart = reinterpret_cast<uintptr_t>(to) ^ reinterpret_cast<uintptr_t>(from);
    if (!memory::is_device(to) || !memory::is_device(from) || (apart & 3)) {
        set_range(to, size, true);
        return;
    }
    const auto word = [](const void* at) {
        return (reinterpret_cast<uintptr_t>(at) -
                reinterpret_cast<uintptr_t>(memory::arena_begin)) / 4;
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

#endif
