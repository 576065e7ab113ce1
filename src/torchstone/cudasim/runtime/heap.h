// Allocations of kernels by malloc and new.
#pragma once

namespace cusim::heap {
bool holds(const void* address);
}  // namespace cusim::heap
