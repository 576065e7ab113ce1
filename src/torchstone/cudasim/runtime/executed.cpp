// Execution counts of a kernel's basic blocks. The compiler inserts a call at the start of each
// block; the instructions of a block are read from the program.
#include "counters.h"

#if CUSIM_CHECK

#include "tallies.h"

namespace cusim::detect {
namespace {

struct Tally {
    void* pc;
    uint64_t count;
};
// A kernel has some tens of blocks. Colliding blocks replace each other.
constexpr size_t num_tallies = 1024;
Tally tallies[num_tallies];
Executed& settled = *new Executed;

__attribute__((noinline)) void settle(Tally& tally, void* next) {
    if (tally.count) {
        settled[tally.pc] += tally.count;
    }
    tally = {next, 0};
}

}  // namespace

void take_executed(Executed& to) {
    for (Tally& tally : tallies) {
        settle(tally, nullptr);
    }
    for (const auto& [pc, count] : settled) {
        to[pc] += count;
    }
    settled.clear();
}

}  // namespace cusim::detect

// Called at the start of every basic block of the program.
extern "C" void __sanitizer_cov_trace_pc() {
    using namespace cusim::detect;
    // Host threads also execute basic blocks.
    if (__builtin_expect(is_counting, false) && cusim::worker && cusim::worker->in_kernel) {
        void* const pc = __builtin_return_address(0);
        Tally& tally = tallies[(reinterpret_cast<uintptr_t>(pc) * 0x9e3779b97f4a7c15u) >> 54];
        if (tally.pc != pc) {
            settle(tally, pc);
        }
        tally.count++;
    }
}

#endif
