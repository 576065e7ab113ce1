// The memory regions that a kernel may access, as known to the detectors.
#pragma once

#include <cstring>
#include <vector>

#include "machine.h"
#include "shadow.h"

namespace cusim::detect {

extern CUSIM_HIDDEN Cell* global_cells;
extern CUSIM_HIDDEN Cell* running_cells;  // of the shared memory of the running block

// Cache of the last allocations: a kernel alternates between a few, and each search takes a lock
// and a tree traversal.
struct Near {
    uintptr_t begin, end;
};
constexpr unsigned num_near = 4;
extern CUSIM_HIDDEN Near nearby[num_near];

inline bool is_near(uintptr_t at, size_t size) {
    for (const Near& one : nearby) {
        if (at >= one.begin && at + size <= one.end) {
            return true;
        }
    }
    return false;
}
inline void forget_near() { std::memset(nearby, 0, sizeof nearby); }

struct SharedVariable {
    const char* name;
    size_t begin, size;
};
std::vector<SharedVariable>& shared_variables();
// Per word: whether all four bytes belong to a variable of the launch.
extern CUSIM_HIDDEN uint8_t is_shared_word[2 * shared_space / 4];

// A __device__ or __constant__ variable with its shadow cells.
struct SymbolShadow {
    uintptr_t begin, end;
    std::vector<Cell> cells;
};
SymbolShadow* find_symbol_shadow(uintptr_t address);

// Address range of a library or program.
struct Image {
    uintptr_t begin, end;

    bool holds(uintptr_t address) const { return address >= begin && address < end; }
};
extern CUSIM_HIDDEN Image program, runtime;

}  // namespace cusim::detect
