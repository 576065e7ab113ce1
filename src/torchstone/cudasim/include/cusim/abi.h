// What the runtime library offers to the headers. Nothing of it is CUDA's; programs do not use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cusim/vector_types.h"

// Constants as far as the compiler is concerned, since no thread ever sees another's: so they stay
// in registers across barriers, and -fsanitize=thread leaves them alone. The runtime sets them when
// it switches from one thread to another, which no piece of code can tell from a fresh call.
#define CUSIM_TLS __thread __attribute__((tls_model("initial-exec")))

// Always inlined, so that the return address in the runtime belongs to the program's line.
#define CUSIM_INLINE inline __attribute__((always_inline))

namespace cusim {
// A kernel's parameters with its address, and what lies between them where one is in another.
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
// Where this worker keeps the shared memory of its block, and which launch it works on.
extern const CUSIM_TLS uintptr_t cusim_shared_base;
extern const unsigned cusim_launch_number;
}
namespace cusim {
struct Wanted;
}
extern "C" CUSIM_TLS cusim::Wanted* cusim_wanted;  // what the next call of a kernel begins
#endif

constexpr int warpSize = 32;
// How far shared memory reaches from cusim_shared_base, whatever a block has of it.
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
    CUSIM_FOLD,  // the same, and a card would exchange values for it
};

namespace cusim {
// One __shared__ declaration; `offset` is valid for the launch with the number `launch`.
struct SharedSlot {
    const char* name;
    size_t size;
    size_t align;
    int line;
    unsigned launch;
    unsigned offset;
};

// What a lane brings to CUSIM_CALL or CUSIM_FOLD. The last lane to come calls `work` once for all,
// while they wait: lanes[i] is what lane i brought, and null where `present` does not name it.
struct Collective {
    void (*work)(Collective* const* lanes, unsigned present);
};

enum class SymbolKind : int { device, constant, managed };

// The configuration between <<< and >>>, until the call of the kernel that it is for.
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
// result comes in cusim_result, so that nothing of the call is left to be done after the switch.
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
// Before and after atomic accesses: another thread may have a turn, as drawn from the seed.
extern bool cusim_gives_way;
void cusim_give_way(void);
// From now on in this launch threads go on until they wait: the headers hold what may not be left
// in the middle.
void cusim_keep_turns(void);
// Asynchronous copies whose value has been read: 1, 4, 8 or 16 bytes that go to shared memory. They
// arrive at a wait: without a key, at a wait of the thread itself, which numbers its commits; with
// a key, at any wait for a phase of the object of that key.
void cusim_copy_begin(void* to, uint64_t low, uint64_t high, unsigned size, const void* key,
                      unsigned phase);
// Called in the check build: the address from which the newest copy was read.
void cusim_copy_source(const void* from, unsigned size);
void cusim_copies_commit(void);
// All that the thread has committed arrives, but for what it committed last.
void cusim_copies_wait_prior(size_t num_commits);
// All that is meant for this phase, or an earlier one, arrives.
void cusim_copies_wait_phase(const void* key, unsigned phase);
// An attempt that depends on what another thread writes there; after many, the others have a turn.
void cusim_spin(const volatile void* address);
bool cusim_in_kernel(void);
bool cusim_is_cooperative(void);
// Waits until another thread of the block calls cusim_wake with the same key.
void cusim_park(const void* key, int site);
// All that was done in the block before this counts as ordered before what is done after it.
void cusim_wake(const void* key);
__attribute__((noreturn)) void cusim_assert_fail(
    const char* expression, const char* file, unsigned line, const char* function) noexcept;
[[noreturn]] void cusim_trap(void);
[[noreturn]] void cusim_exceeds_bounds(long long max_threads);

// The check build tells the detectors of an atomic access before it is done.
void cusim_atomic_access(void* address, unsigned size, bool in_block, bool is_comparing);

// `call` is given a copy of the arguments.
int cusim_launch(const char* name, void* identity, void (*call)(void*), const void* arguments,
                 size_t num_bytes, dim3 grid, dim3 block, size_t shared_bytes, void* stream,
                 bool cooperative);
// The same in two steps: first the configuration, then the call by the kernel itself with its
// arguments. A launch that no kernel begins by the end of its expression is reported.
void cusim_want(cusim::Wanted* wanted);
bool cusim_is_wanted(void);
int cusim_begin(void* identity, void (*call)(void*), const void* arguments, size_t num_bytes);
void cusim_never_begun(cusim::Wanted* wanted);
}

#ifndef CUSIM_RUNTIME
// An operation of the warp: every lane that the mask names arrives, and each gets its own result.
CUSIM_INLINE uint64_t cusim_warp(int op, unsigned mask, uint64_t value, int arg, int width,
                                 int site) {
    // A distance beyond the warp is as good as any other beyond it.
    const unsigned distance = static_cast<unsigned>(arg);
    const bool is_distance = op == CUSIM_SHFL_UP || op == CUSIM_SHFL_DOWN;
    const unsigned low = is_distance && distance > 32 ? 32 : distance & 0xffff;
    cusim_warp_begin(uint64_t{mask} << 32 | static_cast<unsigned>(op) << 24 |
                         static_cast<unsigned>(width & 0xff) << 16 | low,
                     value, site);
#if CUSIM_CHECK
    // Not by a load, which would be taken for one of the kernel's.
    return cusim_warp_result();
#else
    return cusim_result;
#endif
}
#endif
