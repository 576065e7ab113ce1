// What the instruction at which a signal came was about to do.
#pragma once

#include <ucontext.h>

namespace cusim::instructions {
bool is_write(const ucontext_t* context);
// Whether it wants an address that the size of what it moves divides.
bool is_aligned_move(const void* pc);
}  // namespace cusim::instructions
