// Findings of the detectors, kept until the caller reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"

namespace cusim::findings {

struct Party {
    void* pc = nullptr;
    uint3 block{}, thread{};
    bool is_write = false;
    bool is_known = false;
};

// A placeholder of a message, by name.
struct Value {
    Value(const char* name, uint64_t number);
    Value(const char* name, const std::string& text);
    const char* name;
    std::string json;
};

// One finding, independent of language. ../messages has its sentences under these names.
struct Fact {
    const char* name;
    std::vector<Value> values;
};
inline Fact say(const char* name, std::vector<Value> values = {}) {
    return {name, std::move(values)};
}

struct Finding {
    const char* kind = "";
    const char* space = "";   // global, shared, constant, local, host
    std::vector<Fact> detail; // kind of the finding, without its location
    std::string variable;     // of shared memory or a symbol
    const char* kernel = "";
    Party at, other;
    void* barrier = nullptr;  // the last one passed by both threads of a race
    dim3 size{0, 0, 0};  // of a block of the launch
    std::vector<unsigned> arrived;  // at a barrier that not all threads reach: lanes by warp
    uint64_t address = 0;
    int64_t offset = 0;       // relative to the start of the allocation
    uint64_t allocation_bytes = 0;
    unsigned access_bytes = 0;
    uint64_t count = 1;       // number of similar findings at this location
};

// Location and thread of the current access.
Party here(void* pc, bool is_write);
// Recorded once per kind and location (and other location); repetitions are counted.
void add(Finding finding);
size_t num_findings();
// Updates the report file if there are new findings: a program may end abruptly.
void save();
void clear();
std::string to_json();

void deadlock(Worker& worker, Block& block);
void grid_deadlock(Worker& worker, const std::vector<Block*>& blocks);
void barrier_after_exit(Worker& worker, Block& block);
void barrier_sites(Worker& worker, Block& block);
void warp_sites(Worker& worker, Block& block, unsigned warp, unsigned mask);
void warp_mask(Worker& worker, const Thread& thread, unsigned mask, void* pc, int op);
void grid_sync_without_cooperative(Worker& worker, void* pc);
// Escapes a string for JSON.
std::string quoted(const std::string& text);
// Location of the current host call, for findings about the call itself.
void called_from(void* pc);
void* place_of_call();
void configuration(const char* kernel, std::vector<Fact> detail);

}  // namespace cusim::findings
