// Barriers, fences, clocks and traps.
#pragma once

#include <ctime>

#include "cusim/abi.h"

// A macro, because the source location identifies a barrier: the compiler may duplicate or merge
// calls, without an effect on the kernel's correctness.
#define __syncthreads() cusim_barrier(__COUNTER__)
#define __syncthreads_count(predicate) cusim_barrier_reduce(0, (predicate) != 0, __COUNTER__)
#define __syncthreads_and(predicate) cusim_barrier_reduce(1, (predicate) != 0, __COUNTER__)
#define __syncthreads_or(predicate) cusim_barrier_reduce(2, (predicate) != 0, __COUNTER__)

CUSIM_INLINE void __syncwarp(unsigned mask = 0xffffffffu, int site = __builtin_LINE()) {
    cusim_warp(CUSIM_SYNC, mask, 0, 0, 32, site);
}

CUSIM_INLINE void __threadfence_block() { cusim_fence(0); }
CUSIM_INLINE void __threadfence() { cusim_fence(1); }
CUSIM_INLINE void __threadfence_system() { cusim_fence(2); }

CUSIM_INLINE long long clock64() { return cusim_clock(); }
// ::clock of <ctime> has the same name and no arguments; it is used for device code too.
CUSIM_INLINE unsigned long long globaltimer() {
    return static_cast<unsigned long long>(cusim_clock());
}
CUSIM_INLINE void __nanosleep(unsigned) { cusim_yield(); }
[[noreturn]] CUSIM_INLINE void __trap() { cusim_trap(); }
CUSIM_INLINE void __brkpt() {}
