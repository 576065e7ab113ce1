// Device memory: one range of addresses in which every allocation ends at an unmapped page.
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
    void* pc;  // where it was allocated
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

// The allocation that holds an address, or lies next to it, freed ones too; false if none is near.
bool find(const void* address, Allocation& found);
// The same for a caller that holds the lock: the detectors see an allocation while it is made.
bool find_unlocked(const void* address, Allocation& found);
bool find_symbol(const void* address, Symbol& found);
// The variable behind whose end an address lies, if it is near.
bool find_symbol_before(const void* address, Symbol& found);
// Memory of the host's own that cudaHostRegister made known to the device.
bool is_registered(const void* address, size_t size);
void forget_registered();
// Free everything, as the reset of a device does.
void release_all();
// Describes the memory at an address in words, for a report.
std::string describe(const void* address, size_t access_bytes);

extern __attribute__((visibility("hidden"))) char* arena_begin;
extern __attribute__((visibility("hidden"))) size_t arena_size;
inline bool is_device(const void* address) {
    return static_cast<size_t>(static_cast<const char*>(address) - arena_begin) < arena_size;
}

}  // namespace cusim::memory
