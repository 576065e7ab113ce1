// Interface between the runtime library and the headers. It is not part of CUDA, and not for
// programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cusim/vector_types.h"

// Declared const for the compiler, because a thread never sees another thread's values: they stay
// in registers across barriers, and -fsanitize=thread does not instrument them. The runtime sets
// them at thread switches, which code cannot distinguish from fresh calls.
#define CUSIM_TLS __thread __attribute__((tls_model("initial-exec")))

// Always inlined, so that the return address in the runtime belongs to the program's line.
#define CUSIM_INLINE inline __attribute__((always_inline))

namespace cusim {
// Size of a kernel's address and parameters, with padding for nested parameter structs.
constexpr size_t max_closure_bytes = 33 << 10;
}  // namespace cusim

#ifndef CUSIM_RUNTIME
extern "C" {
extern const CUSIM_TLS uint3 threadIdx;
extern const CUSIM_TLS uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern CUSIM_TLS uint64_t cusim_result;
// The linear rank of the thread in its block; its lane is the rank modulo 32.
extern const CUSIM_TLS unsigned cusim_rank;
// This worker's address of the shared memory of its block, and the number of its launch.
extern const CUSIM_TLS uintptr_t cusim_shared_base;
extern const unsigned cusim_launch_number;
}
namespace cusim {
struct Wanted;
}
extern "C" CUSIM_TLS cusim::Wanted* cusim_wanted;  // configuration of the next kernel call
#endif

constexpr int warpSize = 32;
// Size of the address range of shared memory from cusim_shared_base, regardless of its use.
constexpr size_t cusim_shared_span = 512 << 10;

enum cusim_warp_op {
    CUSIM_SHFL_IDX,
    CUSIM_SHFL_UP,
    CUSIM_SHFL_DOWN,
    CUSIM_SHFL_XOR,
    CUSIM_BALLOT,
    CUSIM_ANY,
    CUSIM_ALL,
    CUSIM_MATCH_ANY,
    CUSIM_MATCH_ALL,
    CUSIM_ADD,
    CUSIM_MIN_S,
    CUSIM_MAX_S,
    CUSIM_MIN_U,
    CUSIM_MAX_U,
    CUSIM_AND,
    CUSIM_OR,
    CUSIM_XOR,
    CUSIM_SYNC,
    CUSIM_ACTIVE,
    CUSIM_CALL,  // the value is the address of a cusim::Collective
    CUSIM_FOLD,  // the same, and a GPU would exchange values for it
};

namespace cusim {
// One __shared__ declaration; `offset` is valid for the launch with number `launch`.
struct SharedSlot {
    const char* name;
    size_t size;
    size_t align;
    int line;
    unsigned launch;
    unsigned offset;
};

// Contribution of a lane to CUSIM_CALL or CUSIM_FOLD. The last lane to arrive calls `work` once for
// all, while the others wait: lanes[i] is the contribution of lane i, null if not in `present`.
struct Collective {
    void (*work)(Collective* const* lanes, unsigned present);
};

enum class SymbolKind : int { device, constant, managed };

// The configuration in <<<...>>>, until its kernel is called.
struct Wanted {
    const char* name;
    dim3 grid, block;
    size_t shared_bytes;
    void* stream;
    const void* place;
    Wanted* outer;
    bool has_begun;
};
}  // namespace cusim

extern "C" {
void cusim_barrier(int site);
int cusim_barrier_reduce(int op, int predicate, int site);
// request: the mask in the upper half, then the operation, the width, and 16 bits of argument. The
// result is in cusim_result, so that the call ends with the switch.
void cusim_warp_begin(uint64_t request, uint64_t value, int site);
uint64_t cusim_warp_result(void);
unsigned cusim_active(int site);
void cusim_grid_sync(int site);
void cusim_fence(int scope);
uintptr_t cusim_shared_assign(cusim::SharedSlot* slot);
void* cusim_dynamic_shared(void);
unsigned cusim_dynamic_shared_bytes(void);
long long cusim_clock(void);
void cusim_yield(void);
// Called before and after atomic accesses: yields to another thread, depending on the seed.
extern bool cusim_gives_way;
void cusim_give_way(void);
// Disables preemption for the rest of the launch: the headers have critical sections.
void cusim_keep_turns(void);
// Asynchronous copies whose source has been read: 1, 4, 8 or 16 bytes to shared memory. They
// complete at a wait: without a key, at a wait of the issuing thread, which numbers its commits;
// with a key, at any wait for a phase of the object with that key.
void cusim_copy_begin(void* to, uint64_t low, uint64_t high, unsigned size, const void* key,
                      unsigned phase);
// Called in the check build: the source address of the latest copy.
void cusim_copy_source(const void* from, unsigned size);
void cusim_copies_commit(void);
// Completes all committed copies of the thread, except the last num_commits commits.
void cusim_copies_wait_prior(size_t num_commits);
// Completes all copies assigned to this phase, or to an earlier one.
void cusim_copies_wait_phase(const void* key, unsigned phase);
// A failed attempt that depends on another thread's write; after many, other threads run.
void cusim_spin(const volatile void* address);
bool cusim_in_kernel(void);
bool cusim_is_cooperative(void);
// Waits until another thread of the block calls cusim_wake with the same key.
void cusim_park(const void* key, int site);
// Orders everything done in the block before this call before everything done after it.
void cusim_wake(const void* key);
__attribute__((noreturn)) void cusim_assert_fail(
    const char* expression, const char* file, unsigned line, const char* function) noexcept;
[[noreturn]] void cusim_trap(void);
[[noreturn]] void cusim_exceeds_bounds(long long max_threads);

// In the check build, reports an atomic access to the detectors before it is executed.
void cusim_atomic_access(void* address, unsigned size, bool in_block, bool is_comparing);

// `call` receives a copy of the arguments.
int cusim_launch(const char* name, void* identity, void (*call)(void*), const void* arguments,
                 size_t num_bytes, dim3 grid, dim3 block, size_t shared_bytes, void* stream,
                 bool cooperative);
// The same in two steps: the configuration, then the call by the kernel itself with its arguments.
// A configuration whose kernel is not called by the end of the full expression is reported.
void cusim_want(cusim::Wanted* wanted);
bool cusim_is_wanted(void);
int cusim_begin(void* identity, void (*call)(void*), const void* arguments, size_t num_bytes);
void cusim_never_begun(cusim::Wanted* wanted);
}

#ifndef CUSIM_RUNTIME
// A warp operation: every lane in the mask arrives, and each gets its own result.
CUSIM_INLINE uint64_t cusim_warp(int op, unsigned mask, uint64_t value, int arg, int width,
                                 int site) {
    // All distances beyond the warp are equivalent.
    const unsigned distance = static_cast<unsigned>(arg);
    const bool is_distance = op == CUSIM_SHFL_UP || op == CUSIM_SHFL_DOWN;
    const unsigned low = is_distance && distance > 32 ? 32 : distance & 0xffff;
    cusim_warp_begin(uint64_t{mask} << 32 | static_cast<unsigned>(op) << 24 |
                         static_cast<unsigned>(width & 0xff) << 16 | low,
                     value, site);
#if CUSIM_CHECK
    // Not a load, which would be instrumented as one of the kernel.
    return cusim_warp_result();
#else
    return cusim_result;
#endif
}
#endif
