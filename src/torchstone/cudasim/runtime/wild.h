// Invalid memory accesses, and how they are distinguished from valid ones.
#pragma once

#include "findings.h"
#include "regions.h"
#include "shadow.h"

namespace cusim::detect {

// Reports the access and leaves the kernel: later errors would be consequences.
[[noreturn]] void wild(const char* kind, const char* space, findings::Fact detail,
                       const Access& access, int error);
// Continues if the access lies within a valid allocation or shared variable.
void find_allocation(const Access& access);
void find_shared_variable(size_t offset, const Access& access);

inline void check_shared(size_t offset, const Access& access) {
    if (!is_shared_word[offset / 4] || !is_shared_word[(offset + access.size - 1) / 4]) {
        find_shared_variable(offset, access);
    }
}

}  // namespace cusim::detect
