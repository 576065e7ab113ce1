// Faults of kernels: invalid accesses, stack overflows, endless kernels.
#pragma once

#include <signal.h>

#include <atomic>

#include "machine.h"

namespace cusim::faults {
// During its lifetime, signals of this thread are attributed to a kernel.
class Armed {
   public:
    explicit Armed(Worker& worker);
    ~Armed();
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;

   private:
    stack_t stack_before_{};
};
// Aborts the running launch after this time; 0 means never.
void start_watch(unsigned milliseconds);
void stop_watch();
// Polled by the check build at every access, because it is rarely in code that a signal may abort.
extern CUSIM_HIDDEN std::atomic<bool> time_is_up;
inline bool is_time_up() { return time_is_up.load(std::memory_order_relaxed); }
[[noreturn]] void leave_for_time(void* pc);
}  // namespace cusim::faults
