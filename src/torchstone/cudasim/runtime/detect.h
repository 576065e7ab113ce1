// Notifications from the scheduler to the detectors. They are empty in the fast build.
#pragma once

#include "in_flight.h"

namespace cusim::detect {
#if CUSIM_CHECK
void launch_started(const LaunchState& launch);
void launch_ended();
// All blocks are counted, so threads do not yield, because repeated attempts add requests.
bool counts_all();
void block_started(Block& block);
void block_entered(Block& block);
void block_ended(Block& block);
void block_left(Block& block);  // before its end, to run another one
void barrier_released(Block& block);
void grid_released();
void warp_synchronised(Block& block, unsigned warp, unsigned mask);
void fenced(int scope);
void counted_barrier(void* pc);
void counted_warp_operation(void* pc, int op);
void allocated(const void* address, size_t size);
void freed(const void* address, size_t size);
void written_by_host(const void* address, size_t size);
void copied(void* to, const void* from, size_t size);
void shared_declared(const SharedSlot& slot);
// By C++ atomic operations instead of CUDA's.
void accessed_atomically(void* address, unsigned size, bool is_read, bool is_written, void* pc);
// An asynchronous copy to shared memory: at its issue, and at the wait for it, by the issuing
// thread or for a phase of a barrier.
void copy_begun(void* to, const void* value, unsigned size, void* pc);
void copy_arrived(const Copy& copy, bool is_own);
#else
inline void launch_started(const LaunchState&) {}
inline void launch_ended() {}
inline bool counts_all() { return false; }
inline void block_started(Block&) {}
inline void block_entered(Block&) {}
inline void block_ended(Block&) {}
inline void block_left(Block&) {}
inline void barrier_released(Block&) {}
inline void grid_released() {}
inline void warp_synchronised(Block&, unsigned, unsigned) {}
inline void fenced(int) {}
inline void counted_barrier(void*) {}
inline void counted_warp_operation(void*, int) {}
inline void allocated(const void*, size_t) {}
inline void freed(const void*, size_t) {}
inline void written_by_host(const void*, size_t) {}
inline void copied(void*, const void*, size_t) {}
inline void shared_declared(const SharedSlot&) {}
inline void copy_begun(void*, const void*, unsigned, void*) {}
inline void copy_arrived(const Copy&, bool) {}
#endif
}  // namespace cusim::detect
