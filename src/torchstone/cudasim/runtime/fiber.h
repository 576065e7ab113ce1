// Fibers: a stack each, switched by hand. A fiber never leaves the operating system's thread on
// which it began, so what the compiler keeps of thread-local addresses stays right.
#pragma once

#include <cstddef>

extern "C" {
// Save where this fiber is in *save and go on where `to` was saved.
void cusim_switch(void** save, void* to);
}

namespace cusim {
// Prepare a stack so that the first switch to the returned place calls `begin`, which never
// returns.
void* prepare_fiber(char* bottom, char* top, void (*begin)());
}  // namespace cusim
