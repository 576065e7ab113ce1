// Faults of kernels: wild accesses, overflowing stacks, kernels that never end.
#pragma once

#include <signal.h>

#include <atomic>

#include "machine.h"

namespace cusim::faults {
// While one lives, signals of this thread are a kernel's and not the program's.
class Armed {
   public:
    explicit Armed(Worker& worker);
    ~Armed();
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;

   private:
    stack_t stack_before_{};
};
// End the launch that runs when this much time has passed; 0 is never.
void start_watch(unsigned milliseconds);
void stop_watch();
// The check build asks at every access, for it is seldom in code that can be left by a signal.
extern CUSIM_HIDDEN std::atomic<bool> time_is_up;
inline bool is_time_up() { return time_is_up.load(std::memory_order_relaxed); }
[[noreturn]] void leave_for_time(void* pc);
}  // namespace cusim::faults
