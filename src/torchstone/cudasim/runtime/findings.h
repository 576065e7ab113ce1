// What went wrong, kept until the caller asks for it.
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

// What belongs into a sentence, under the name that the sentence has for it.
struct Value {
    Value(const char* name, uint64_t number);
    Value(const char* name, const std::string& text);
    const char* name;
    std::string json;
};

// One thing that happened, independent of language. ../messages has the sentences by these names.
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
    std::vector<Fact> detail; // what happened, without the place
    std::string variable;     // of shared memory or a symbol
    const char* kernel = "";
    Party at, other;
    void* barrier = nullptr;  // the last one that both parties of a race have passed
    dim3 size{0, 0, 0};  // of a block of the launch
    std::vector<unsigned> arrived;  // at a barrier that not all threads reach: lanes by warp
    uint64_t address = 0;
    int64_t offset = 0;       // from the beginning of the allocation
    uint64_t allocation_bytes = 0;
    unsigned access_bytes = 0;
    uint64_t count = 1;       // how often the like was met at this place
};

// Where this thread is now.
Party here(void* pc, bool is_write);
// Kept once for each kind and place (and other place); later ones are counted.
void add(Finding finding);
size_t num_findings();
// Writes the report again if there is more in it: a program may end without a word.
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
// As JSON has it.
std::string quoted(const std::string& text);
// From where the host calls now, for findings about the call itself.
void called_from(void* pc);
void* place_of_call();
void configuration(const char* kernel, std::vector<Fact> detail);

}  // namespace cusim::findings
