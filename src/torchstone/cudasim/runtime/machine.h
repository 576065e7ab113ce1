// State of a launch, a block, a warp and a thread during execution.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define CUSIM_RUNTIME 1
#include "cusim/abi.h"

#ifndef CUSIM_CHECK
#define CUSIM_CHECK 0
#endif

// Local to the library, so that it is accessed without a global offset table.
#define CUSIM_HIDDEN __attribute__((visibility("hidden")))
#define CUSIM_LIKELY(x) __builtin_expect(!!(x), 1)

extern "C" {
extern CUSIM_TLS uint3 threadIdx;
extern CUSIM_TLS uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
extern CUSIM_TLS unsigned cusim_rank;
extern CUSIM_TLS uint64_t cusim_result;
extern CUSIM_TLS cusim::Wanted* cusim_wanted;
extern CUSIM_TLS uintptr_t cusim_shared_base;
extern unsigned cusim_launch_number;
}

namespace cusim {

constexpr bool checking = CUSIM_CHECK;
constexpr unsigned max_threads = 1024;
constexpr unsigned max_warps = max_threads / 32;
constexpr size_t static_shared_limit = 48 << 10;
constexpr size_t shared_limit = 227 << 10;
constexpr size_t shared_space = 256 << 10;
constexpr unsigned char poison = 0xff;  // NaN as a float of any width, -1 as an integer
// Number of resident threads of a GPU of this size: the limit of cooperative launches.
constexpr unsigned num_multiprocessors = 16;
constexpr unsigned max_resident_threads = num_multiprocessors * 2048;

enum class Order : int { ascending, descending, random };

enum class State : uint8_t { fresh, ready, active, grid, parked, done };

struct Thread {
    void* sp = nullptr;
    uint3 index{};
    uint16_t rank = 0;
    uint16_t stack_slot = 0;
    State state = State::fresh;
};

// The location at which a thread waits, other than at a barrier.
struct Waiting {
    void* pc;
    int site;
};

// A lane's request to its warp, in the format of cusim_warp_begin.
using Request = uint64_t;
inline uint32_t mask_of(Request request) { return static_cast<uint32_t>(request >> 32); }
inline int op_of(Request request) { return static_cast<int>(request >> 24 & 0xff); }
inline int width_of(Request request) { return static_cast<int>(request >> 16 & 0xff); }
inline int arg_of(Request request) { return static_cast<int>(request & 0xffff); }

struct Warp {
    uint32_t arrived = 0;   // lanes that wait in a warp operation
    uint32_t mask = 0;      // the lanes that they wait for, if it is the same set for all
    uint32_t exited = 0;
    uint32_t lanes = 0;     // the lanes of the block
    bool is_mixed = false;  // whether they wait for different masks
};

struct LaunchState {
    const char* name;
    void* place;  // location in the program
    void* identity;
    void (*call)(void*);
    alignas(128) char arguments[max_closure_bytes];
    dim3 grid, block;
    unsigned num_threads;
    uint64_t num_blocks;  // number to run: the whole grid, or its last blocks
    uint64_t num_skipped;
    size_t dynamic_bytes;
    size_t static_bytes;
    Order order;
    uint64_t seed;
    bool cooperative;
    // Whether threads yield around atomic accesses, depending on the seed.
    bool gives_way;
    std::atomic<uint64_t> next_block;
    std::atomic<int> error;
    // For a cooperative launch: threads in the grid barrier, and threads that have not ended.
    uint64_t num_in_grid_barrier;
    uint64_t num_alive;
    std::vector<uint3> indices;      // threadIdx by rank
    std::vector<uint16_t> sequence;  // order in which ranks start
};

struct InFlight;

struct Block {
    unsigned num_waiting = 0;  // number of threads at the barrier
    unsigned num_live = 0;
    unsigned num_fresh = 0;    // number of threads started, in sequence order
    unsigned head = 0, tail = 0;
    unsigned num_turns = 0;    // yields since another block ran
    uint64_t number = 0;
    uint3 index{};
    int accumulated[3] = {};   // for __syncthreads_count, _and, _or
    int reduced[3] = {};
    bool is_over = false;
    char* shared = nullptr;
    char* dynamic = nullptr;
    void* last_barrier = nullptr;  // passed by all its threads; maintained by the check build
    void* shared_cells = nullptr;  // shadow cells of its shared memory
    InFlight* in_flight = nullptr;  // allocated at the first asynchronous copy
    // The check build's state of the block's access order, and of its memory requests.
    void* knowledge = nullptr;
    void* counted = nullptr;
    uint16_t waiting[max_threads];
    uint16_t ready[2 * max_threads];
    Warp warps[max_warps];
    Thread threads[max_threads];
    Waiting details[max_threads];
    // Indexed by rank, so that lanes of a warp are adjacent.
    alignas(64) uint64_t values[max_threads];
    uint64_t results[max_threads];
    Request requests[max_threads];
    int sites[max_threads];    // of the barrier; maintained by the check build
    void* pcs[max_threads];

    void push(unsigned rank) { ready[tail++ % (2 * max_threads)] = static_cast<uint16_t>(rank); }
};

// One operating system thread that runs blocks.
struct Worker {
    Block* block = nullptr;
    Thread* current = nullptr;
    LaunchState* launch = nullptr;
    void* main_sp = nullptr;
    unsigned stack_slot = 0;
    uint64_t random = 0;
    bool in_kernel = false;
    void* last_pc = nullptr;  // of the last access, in the check build
    std::vector<uint16_t> free_stacks;
    std::vector<char*> stack_chunks;
    // All blocks that it can hold at once, the number prepared for this launch, and the unused
    // ones.
    std::vector<Block*> blocks;
    size_t num_prepared = 0;
    std::vector<Block*> idle;
    std::vector<Block*> paused;  // started, and suspended to run another one
    uint64_t next_position = 0, end_position = 0;  // range of the blocks to start next
    // Counts of this launch, see turns.cpp: by location, of blocks, by the watch.
    unsigned num_draws[256] = {}, num_left = 0, num_forced = 0;
    std::vector<char> signal_stack;
    size_t mapped_stack_bytes = 0;
};

extern CUSIM_HIDDEN CUSIM_TLS Worker* worker;

// schedule.cpp
void start_block(Worker& worker, Block& block, uint64_t number);
[[noreturn]] void leave_kernel(int error);
unsigned lanes_of(const LaunchState& launch, unsigned warp);

// turns.cpp
Block* make_block();
void prepare(Block& block, const LaunchState& launch);
// Runs this worker's share of a launch that is not cooperative.
void run_blocks(Worker& worker);
// Called in a signal handler: the interrupted thread may wait for one that has yielded.
void give_way_for_watch();
void give_way_at(const void* pc);
void forget_turns(Worker& worker);  // called before a launch

// The system's page size: 4 KiB, but 16 or 64 on some aarch64 machines.
size_t page_bytes();

// stacks.cpp
char* stack_bottom(const Worker& worker, unsigned slot);
unsigned take_stack(Worker& worker);
void give_back_all_stacks(Worker& worker);
bool is_on_a_stack(const void* address);
bool is_stack_overflow(const Worker& worker, const void* address);
// Whether the running fiber's stack has that many bytes below a stack pointer.
bool has_room_below(const Worker& worker, uintptr_t sp, size_t bytes);
size_t stack_bytes();
void want_stack_bytes(size_t bytes);  // a minimum, effective from the next launch on
void fit_stacks(Worker& worker);

// warp.cpp
void lane_exited(Block& block, Thread& thread);
bool resolve_active(Worker& worker, Block& block);

// launch.cpp
std::vector<Block*>& cooperative_blocks();
uint64_t draw(uint64_t& state);
bool is_checked_build();

}  // namespace cusim
