// Fibers: cooperative threads with a stack each. A fiber never migrates between operating system
// threads, so thread-local addresses cached by the compiler stay valid.
#pragma once

#include <cstddef>

extern "C" {
// Saves the current fiber in *save and resumes the one saved in `to`.
void cusim_switch(void** save, void* to);
}

namespace cusim {
// Prepares a stack so that the first switch to the returned address calls `begin`, which never
// returns.
void* prepare_fiber(char* bottom, char* top, void (*begin)());
}  // namespace cusim
