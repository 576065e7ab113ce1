// Allocation of fiber stacks by slot, with an unmapped guard page below each.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "machine.h"

namespace cusim {
namespace {
constexpr unsigned slots_per_chunk = 1024;
// A thread's locals are stored here, as in CUDA's local memory. Untouched pages cost nothing.
constexpr size_t default_stack_bytes = 64 << 10;

struct Range {
    char *begin, *end;
};
std::mutex ranges_lock;
std::vector<Range> ranges;
std::atomic<size_t> asked_bytes{0};

size_t in_whole_pages(size_t bytes) {
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

char* map_chunk() {
    const size_t page = page_bytes(), stride = stack_bytes() + page;
    const size_t size = stride * slots_per_chunk;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    char* const base = static_cast<char*>(memory);
    for (unsigned slot = 0; slot < slots_per_chunk; slot++) {
        mprotect(base + slot * stride, page, PROT_NONE);
    }
    const std::lock_guard<std::mutex> hold(ranges_lock);
    ranges.push_back({base, base + size});
    return base;
}
}  // namespace

size_t page_bytes() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

size_t stack_bytes() {
    static const size_t bytes = [] {
        const char* const text = std::getenv("CUSIM_STACK_BYTES");
        const size_t wanted = text ? std::strtoull(text, nullptr, 10) : default_stack_bytes;
        return in_whole_pages(std::max<size_t>(wanted, 1));
    }();
    return std::max(bytes, asked_bytes.load(std::memory_order_relaxed));
}

// CPU code needs larger frames than GPU code, so the requested size is doubled.
void want_stack_bytes(size_t bytes) {
    asked_bytes = in_whole_pages(2 * bytes);
}

// Called before a launch, when no stack is in use.
void fit_stacks(Worker& worker) {
    if (worker.mapped_stack_bytes == stack_bytes()) {
        return;
    }
    const std::lock_guard<std::mutex> hold(ranges_lock);
    for (char* const chunk : worker.stack_chunks) {
        for (auto at = ranges.begin(); at != ranges.end(); ++at) {
            if (at->begin == chunk) {
                munmap(at->begin, static_cast<size_t>(at->end - at->begin));
                ranges.erase(at);
                break;
            }
        }
    }
    worker.stack_chunks.clear();
    worker.free_stacks.clear();
    worker.mapped_stack_bytes = stack_bytes();
}

char* stack_bottom(const Worker& worker, unsigned slot) {
    const size_t page = page_bytes(), stride = stack_bytes() + page;
    return worker.stack_chunks[slot / slots_per_chunk] + slot % slots_per_chunk * stride + page;
}

unsigned take_stack(Worker& worker) {
    if (worker.free_stacks.empty()) {
        char* const chunk = map_chunk();
        if (!chunk) {
            leave_kernel(2);  // cudaErrorMemoryAllocation
        }
        const unsigned first = static_cast<unsigned>(worker.stack_chunks.size()) * slots_per_chunk;
        worker.stack_chunks.push_back(chunk);
        for (unsigned slot = slots_per_chunk; slot-- > 0;) {
            worker.free_stacks.push_back(static_cast<uint16_t>(first + slot));
        }
    }
    const unsigned slot = worker.free_stacks.back();
    worker.free_stacks.pop_back();
    return slot;
}

void give_back_all_stacks(Worker& worker) {
    worker.free_stacks.clear();
    for (size_t slot = worker.stack_chunks.size() * slots_per_chunk; slot-- > 0;) {
        worker.free_stacks.push_back(static_cast<uint16_t>(slot));
    }
}

bool is_on_a_stack(const void* address) {
    const char* const at = static_cast<const char*>(address);
    for (const Range& range : ranges) {
        if (at >= range.begin && at < range.end) {
            return true;
        }
    }
    return false;
}

bool has_room_below(const Worker& worker, uintptr_t sp, size_t bytes) {
    const uintptr_t bottom = reinterpret_cast<uintptr_t>(stack_bottom(worker, worker.stack_slot));
    return sp >= bottom + bytes && sp <= bottom + stack_bytes();
}

bool is_stack_overflow(const Worker& worker, const void* address) {
    if (!is_on_a_stack(address)) {
        return false;
    }
    const char* const bottom = stack_bottom(worker, worker.stack_slot);
    const char* const at = static_cast<const char*>(address);
    return at < bottom && at >= bottom - page_bytes();
}
}  // namespace cusim
