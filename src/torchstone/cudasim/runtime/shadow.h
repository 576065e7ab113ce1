// What the detectors remember of each word of device memory.
#pragma once

#include <cstdint>

#include "in_flight.h"
#include "machine.h"

namespace cusim::detect {

// A moment in a block's life: an epoch is the time between two barriers, numbered through all
// blocks and launches of the process; within it a thread's own clock counts its fences and
// syncwarps.
struct Moment {
    uint32_t epoch;
    uint32_t clock;
};

// A reader: several lanes, of the warp in the low bits.
constexpr uint16_t lanes_of_one_warp = 0x8000;
constexpr uint16_t several_warps = 0xffff;

// One word of four bytes: its last write and its last reads, and which of its bytes have a value.
struct Cell {
    uint32_t write_epoch;
    uint32_t read_epoch;
    uint32_t write_pc;
    uint32_t read_pc;
    uint32_t read_lanes;  // of lanes_of_one_warp; of several_warps two of the readers
    uint16_t write_clock;
    uint16_t read_clock;  // of several lanes the latest
    uint16_t writer;
    uint16_t reader;
    uint8_t write_bytes : 4;
    uint8_t read_bytes : 4;
    uint8_t is_set : 4;
    uint8_t is_atomic_write : 1;
    uint8_t is_atomic_read : 1;
    uint8_t is_within_block : 1;  // one of them was atomic for the threads of one block only
    uint8_t in_flight : 4;        // bytes for which an asynchronous copy is still waited

    Moment written() const { return {write_epoch, write_clock}; }
    Moment read() const { return {read_epoch, read_clock}; }
};
static_assert(sizeof(Cell) == 32, "a power of two, so that the index is a shift");

// Clocks stop here: what comes later counts as ordered.
constexpr uint32_t last_clock = 0xfff0;

struct Access {
    void* address;
    void* pc;
    unsigned size;
    bool is_write;
    bool is_atomic;
    bool is_within_block = false;  // atomic for its block only
    bool is_comparing = false;     // atomic, and depends on what was there
    const char* copied = nullptr;  // what an asynchronous copy will write
};

enum class Space : uint8_t { global, shared, symbol };

// Whether the access is ordered after all that the cell remembers; tells what it finds, and
// remembers.
void visit(Cell& cell, unsigned bytes, const Access& access, Space space);
// A comparing access of this thread begins: a plain read of its own before it was a look. Said
// before the thread gives way, since the others read the word, too.
void note_look(const Cell& cell);
// An asynchronous copy arrives; `visit` saw it when it was issued.
void visit_arrival(Cell& cell, unsigned bytes, const Access& access, bool is_own);
// Reports that the source of an asynchronous copy was written again before it arrived.
void tell_source_changed(const Cell& cell, const Copy& copy, const void* address, Space space);
// What could not be decided at once: at a barrier and the end of a block, and at the end of a
// launch.
void tell_pending();
void tell_suspicions();

}  // namespace cusim::detect
