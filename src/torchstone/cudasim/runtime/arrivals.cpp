// Completion of asynchronous copies; detect.cpp processed them when they were issued.
#if CUSIM_CHECK

#include <algorithm>
#include <cstring>

#include "detect.h"
#include "memory.h"
#include "regions.h"
#include "shadow.h"

namespace cusim::detect {
namespace {

// A GPU may read the source of a copy until its completion.
void compare_source(const Copy& copy) {
    const char* const value = reinterpret_cast<const char*>(copy.words);
    const char* const from = static_cast<const char*>(copy.from);
    const uintptr_t at = reinterpret_cast<uintptr_t>(from);
    const size_t in_shared = at - cusim_shared_base;
    const bool is_shared = in_shared < 2 * shared_space;
    if (!copy.num_read || !(is_shared || memory::is_device(from)) ||
        std::memcmp(from, value, copy.num_read) == 0) {
        return;
    }
    size_t same = 0;
    while (from[same] == value[same]) {
        same++;
    }
    const size_t in_arena = at - reinterpret_cast<uintptr_t>(memory::arena_begin);
    const Cell& cell = is_shared ? running_cells[(in_shared + same) / 4]
                                 : global_cells[(in_arena + same) / 4];
    tell_source_changed(cell, copy, from + same, is_shared ? Space::shared : Space::global);
}

}  // namespace

void copy_arrived(const Copy& copy, bool is_own) {
    compare_source(copy);
    const uintptr_t at = reinterpret_cast<uintptr_t>(copy.to);
    const char* const value = reinterpret_cast<const char*>(copy.words);
    Cell* const cells = running_cells + (at - cusim_shared_base) / 4;
    // Copies are aligned to their size, so they cover whole words or lie within one.
    for (unsigned done = 0; done < copy.size; done += 4) {
        Access access{static_cast<char*>(copy.to) + done, copy.pc, std::min(4u, copy.size), true,
                      false};
        access.copied = value + done;
        const unsigned bytes = (1u << access.size) - 1;
        visit_arrival(cells[done / 4], bytes << (at & 3), access, is_own);
    }
}

}  // namespace cusim::detect

#endif
