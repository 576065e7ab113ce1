// Device memory: an address range in which every allocation ends at an unmapped page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cusim::memory {

enum class Kind : int { device, managed, host };

struct Allocation {
    char* begin;
    size_t size;
    Kind kind;
    bool is_freed;
    void* pc;  // location of the allocation
};

struct Symbol {
    char* begin;
    size_t size;
    const char* name;
    int kind;  // cusim::SymbolKind
};

char* arena();
size_t arena_bytes();
inline bool is_device(const void* address);

// Finds the allocation that contains an address, or is adjacent to it, including freed ones; false
// if there is none.
bool find(const void* address, Allocation& found);
// The same with the lock held: the detectors are called during an allocation.
bool find_unlocked(const void* address, Allocation& found);
bool find_symbol(const void* address, Symbol& found);
// Finds the variable whose end is shortly before an address.
bool find_symbol_before(const void* address, Symbol& found);
// Host memory registered by cudaHostRegister.
bool is_registered(const void* address, size_t size);
void forget_registered();
// Frees everything, as a device reset does.
void release_all();
// Describes the memory at an address, for a report.
std::string describe(const void* address, size_t access_bytes);

extern __attribute__((visibility("hidden"))) char* arena_begin;
extern __attribute__((visibility("hidden"))) size_t arena_size;
inline bool is_device(const void* address) {
    return static_cast<size_t>(static_cast<const char*>(address) - arena_begin) < arena_size;
}

}  // namespace cusim::memory
