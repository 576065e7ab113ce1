// Decoding of the instruction at which a signal arrived.
#pragma once

#include <ucontext.h>

namespace cusim::instructions {
bool is_write(const ucontext_t* context);
// Whether the instruction requires an address aligned to its operand size.
bool is_aligned_move(const void* pc);
}  // namespace cusim::instructions
