// What kernels get from malloc and new.
#pragma once

namespace cusim::heap {
bool holds(const void* address);
}  // namespace cusim::heap
