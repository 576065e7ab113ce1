// cudaMalloc and related functions. Freed memory is unmapped, and its addresses are not reused
// while others are available, so that use after free is detected.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "detect.h"
#include "findings.h"
#include "machine.h"
#include "runtime.h"

namespace cusim::memory {

char* arena_begin = nullptr;
size_t arena_size = 0;

namespace {

// The check build has eight shadow bytes per byte, so its address range is smaller.
constexpr size_t wanted_arena = checking ? size_t{16} << 30 : size_t{256} << 30;
// Larger allocations are poisoned page by page, on first access.
constexpr size_t eager_poison = size_t{64} << 20;
// The operating system limits the number of mappings, to 65530 by default.
constexpr size_t small_pattern = size_t{2} << 20, large_pattern = size_t{32} << 20;
constexpr size_t large_allocation = size_t{4} << 30;

struct Entry {
    size_t size;
    size_t mapped;  // relative to `mapping`
    char* mapping;
    Kind kind;
    bool is_freed;
    void* pc;
};

std::mutex lock;
std::map<char*, Entry>& entries() {
    static std::map<char*, Entry>& kept = *new std::map<char*, Entry>;
    return kept;
}
std::vector<Symbol>& symbols() {
    static std::vector<Symbol>& kept = *new std::vector<Symbol>;
    return kept;
}
char* next_free = nullptr;
size_t in_use = 0;

size_t limit() {
    static const size_t bytes = [] {
        const char* const text = std::getenv("CUSIM_MEMORY_BYTES");
        return text ? std::strtoull(text, nullptr, 10) : arena_size;
    }();
    return bytes;
}

bool reserve() {
    if (arena_begin) {
        return true;
    }
    for (size_t size = wanted_arena; size >= size_t{64} << 20; size /= 2) {
        void* const base = mmap(nullptr, size, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            arena_begin = next_free = static_cast<char*>(base);
            arena_size = size;
            return true;
        }
    }
    return false;
}

// A file of poison that is mapped repeatedly: reading takes no memory, writing copies a page.
int make_pattern(size_t size) {
    const int made = memfd_create("cusim-poison", MFD_CLOEXEC);
    if (made < 0) {
        return -1;
    }
    const std::vector<unsigned char> bytes(size, poison);
    if (write(made, bytes.data(), size) != static_cast<ssize_t>(size)) {
        close(made);
        return -1;
    }
    return made;
}

int pattern_file(bool large) {
    static int files[] = {-1, -1};
    int& file = files[large];
    file = file < 0 ? make_pattern(large ? large_pattern : small_pattern) : file;
    return file;
}

void unmap(char* at, size_t size) {
    mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool map_poisoned(char* at, size_t size) {
    if (size <= eager_poison) {
        if (mprotect(at, size, PROT_READ | PROT_WRITE)) {
            return false;
        }
        std::memset(at, poison, size);
        return true;
    }
    const bool large = size >= large_allocation;
    const size_t pattern = large ? large_pattern : small_pattern;
    for (size_t done = 0; done < size; done += pattern) {
        const size_t part = size - done < pattern ? size - done : pattern;
        if (mmap(at + done, part, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern_file(large), 0) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}

// Reuses the oldest sufficient freed range; only if no new addresses are left.
char* reuse(size_t wanted) {
    for (auto at = entries().begin(); at != entries().end(); ++at) {
        if (at->second.is_freed && at->second.mapped + page_bytes() >= wanted) {
            char* const mapping = at->second.mapping;
            entries().erase(at);
            return mapping;
        }
    }
    return nullptr;
}

cudaError_t allocate(void** address, size_t size, Kind kind, void* pc) {
    if (!address) {
        return cudaErrorInvalidValue;
    }
    *address = nullptr;
    if (size == 0 || sticky_error()) {
        return sticky_error();
    }
    const std::lock_guard<std::mutex> hold(lock);
    if (!reserve() || size > arena_size || in_use + size > limit()) {
        return cudaErrorMemoryAllocation;
    }
    const size_t page = page_bytes();
    const size_t mapped = (size + page - 1) / page * page;
    const size_t wanted = mapped + page;
    char* mapping = next_free;
    if (static_cast<size_t>(arena_begin + arena_size - next_free) >= wanted + page) {
        // One unmapped guard page precedes the first allocation and follows each one.
        mapping = next_free += next_free == arena_begin ? page : 0;
        next_free += wanted;
    } else if (!(mapping = reuse(wanted))) {
        return cudaErrorMemoryAllocation;
    }
    if (!map_poisoned(mapping, mapped)) {
        unmap(mapping, mapped);
        return cudaErrorMemoryAllocation;
    }
    // The fast build detects overruns only by the guard page. Sixteen bytes are the widest access;
    // the check build knows bounds to the byte and provides a GPU's alignment. An allocation with a
    // stricter alignment, up to the 256 of a GPU, has a size divisible by it.
    const size_t step = checking ? 256 : std::clamp<size_t>(size & -size, 16, 256);
    const size_t rounded = (size + step - 1) / step * step;
    char* const begin = checking ? mapping : mapping + (mapped - rounded);
    entries()[begin] = {size, mapped, mapping, kind, false, pc};
    in_use += size;
    *address = begin;
    detect::allocated(begin, size);
    return cudaSuccess;
}

cudaError_t release(void* address, Kind wanted, void* pc) {
    if (!address) {
        return cudaSuccess;
    }
    const std::lock_guard<std::mutex> hold(lock);
    const auto at = entries().find(static_cast<char*>(address));
    const bool known = at != entries().end();
    const bool of_this_kind = known && (at->second.kind == Kind::host) == (wanted == Kind::host);
    if (!of_this_kind || at->second.is_freed) {
        findings::Finding finding;
        finding.kind = "invalid-free";
        finding.at = findings::here(pc, false);
        finding.address = reinterpret_cast<uint64_t>(address);
        finding.detail = {known && at->second.is_freed ? findings::say("freed-already")
                          : known                      ? findings::say("freed-otherwise")
                                                       : findings::say("no-allocation-begins")};
        findings::add(finding);
        return cudaErrorInvalidValue;
    }
    Entry& entry = at->second;
    entry.is_freed = true;
    in_use -= entry.size;
    unmap(entry.mapping, entry.mapped);
    detect::freed(at->first, entry.size);
    return cudaSuccess;
}

}  // namespace

char* arena() {
    const std::lock_guard<std::mutex> hold(lock);
    reserve();
    return arena_begin;
}

size_t arena_bytes() { return arena_size; }

bool find(const void* address, Allocation& found) {
    const std::lock_guard<std::mutex> hold(lock);
    return find_unlocked(address, found);
}

bool find_unlocked(const void* address, Allocation& found) {
    char* const at = static_cast<char*>(const_cast<void*>(address));
    auto after = entries().upper_bound(at);
    if (after == entries().begin()) {
        if (after == entries().end()) {
            return false;
        }
    } else {
        auto before = std::prev(after);
        // The nearer of two neighbours: an access just before the second is attributed to it.
        const size_t behind = static_cast<size_t>(at - before->first) >= before->second.size
                                  ? static_cast<size_t>(at - before->first) - before->second.size
                                  : 0;
        if (after == entries().end() || behind <= static_cast<size_t>(after->first - at)) {
            after = before;
        }
    }
    found = {after->first, after->second.size, after->second.kind, after->second.is_freed,
             after->second.pc};
    return true;
}

bool find_symbol_before(const void* address, Symbol& found) {
    constexpr size_t near = 4096;
    const char* const at = static_cast<const char*>(address);
    const char* nearest = nullptr;
    for (const Symbol& symbol : symbols()) {
        const char* const end = symbol.begin + symbol.size;
        if (at >= end && static_cast<size_t>(at - end) < near && end > nearest) {
            nearest = end;
            found = symbol;
        }
    }
    return nearest != nullptr;
}

bool find_symbol(const void* address, Symbol& found) {
    const char* const at = static_cast<const char*>(address);
    for (const Symbol& symbol : symbols()) {
        if (at >= symbol.begin && at < symbol.begin + symbol.size) {
            found = symbol;
            return true;
        }
    }
    return false;
}

void release_all() {
    const std::lock_guard<std::mutex> hold(lock);
    for (auto& [begin, entry] : entries()) {
        if (!entry.is_freed) {
            entry.is_freed = true;
            unmap(entry.mapping, entry.mapped);
            detect::freed(begin, entry.size);
        }
    }
    in_use = 0;
    forget_registered();
}

}  // namespace cusim::memory

using namespace cusim;

extern "C" {

cudaError_t cusim_malloc(void** address, size_t size, bool managed) {
    return note(memory::allocate(address, size,
                                 managed ? memory::Kind::managed : memory::Kind::device,
                                 __builtin_return_address(0)));
}

cudaError_t cusim_host_alloc(void** address, size_t size) {
    return note(memory::allocate(address, size, memory::Kind::host, __builtin_return_address(0)));
}

cudaError_t cudaFree(void* address) {
    return note(memory::release(address, memory::Kind::device, __builtin_return_address(0)));
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
    if (!takes_work(stream)) {
        return note(cudaErrorInvalidResourceHandle);
    }
    return note(memory::release(address, memory::Kind::device, __builtin_return_address(0)));
}

cudaError_t cudaFreeHost(void* address) {
    return note(memory::release(address, memory::Kind::host, __builtin_return_address(0)));
}

cudaError_t cusim_pitch(size_t* pitch, size_t width, size_t height) {
    if (!pitch || width > size_t{0x7fffffff} || (height && width > ~size_t{0} / 2 / height)) {
        return note(pitch ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    *pitch = (width + 511) / 512 * 512;
    return note(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    memory::arena();
    const std::lock_guard<std::mutex> hold(memory::lock);
    *total = memory::limit();
    *free = memory::limit() - memory::in_use;
    return note(cudaSuccess);
}

void cusim_register_symbol(void* address, size_t size, const char* name, int kind) {
    const std::lock_guard<std::mutex> hold(memory::lock);
    memory::symbols().push_back({static_cast<char*>(address), size, name, kind});
}

// Returns the allocations that are still live, for a leak check at program end.
size_t cusim_report_leaks() {
    const std::lock_guard<std::mutex> hold(memory::lock);
    size_t count = 0;
    for (const auto& [begin, entry] : memory::entries()) {
        if (entry.is_freed) {
            continue;
        }
        findings::Finding finding;
        finding.kind = "leak";
        finding.space = entry.kind == memory::Kind::host ? "host" : "global";
        finding.at = findings::here(entry.pc, false);
        finding.address = reinterpret_cast<uint64_t>(begin);
        finding.allocation_bytes = entry.size;
        finding.detail = {findings::say("never-freed", {{"bytes", entry.size}})};
        findings::add(finding);
        count++;
    }
    return count;
}

}  // extern "C"
