// malloc and new in kernels: the host's allocator with a record of the allocations. The linker
// redirects the program's calls here (--wrap).
#include "heap.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#include "machine.h"

namespace cusim::heap {
namespace {
std::mutex lock;
std::map<const char*, size_t>& blocks() {
    static std::map<const char*, size_t>& kept = *new std::map<const char*, size_t>;
    return kept;
}

void* note(void* memory, size_t size) {
    if (checking && memory && cusim_in_kernel()) {
        const std::lock_guard<std::mutex> hold(lock);
        blocks()[static_cast<const char*>(memory)] = size;
    }
    return memory;
}

void forget(void* memory) {
    if (checking && memory) {
        const std::lock_guard<std::mutex> hold(lock);
        blocks().erase(static_cast<const char*>(memory));
    }
}
}  // namespace

bool holds(const void* address) {
    const char* const at = static_cast<const char*>(address);
    const std::lock_guard<std::mutex> hold(lock);
    const auto after = blocks().upper_bound(at);
    if (after == blocks().begin()) {
        return false;
    }
    const auto& [begin, size] = *std::prev(after);
    return at < begin + size;
}
}  // namespace cusim::heap

using namespace cusim::heap;

extern "C" {
void* __wrap_malloc(size_t size) { return note(std::malloc(size), size); }
void __wrap_free(void* memory) {
    forget(memory);
    std::free(memory);
}
void* __wrap__Znwm(size_t size) { return note(::operator new(size), size); }
void* __wrap__Znam(size_t size) { return note(::operator new[](size), size); }
void __wrap__ZdlPv(void* memory) {
    forget(memory);
    ::operator delete(memory);
}
void __wrap__ZdlPvm(void* memory, size_t) { __wrap__ZdlPv(memory); }
void __wrap__ZdaPv(void* memory) {
    forget(memory);
    ::operator delete[](memory);
}
void __wrap__ZdaPvm(void* memory, size_t) { __wrap__ZdaPv(memory); }
}
