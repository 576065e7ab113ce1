// Shadow state of each word of device memory.
#pragma once

#include <cstdint>

#include "in_flight.h"
#include "machine.h"

namespace cusim::detect {

// A moment of a block: an epoch is the time between two barriers, numbered through all blocks and
// launches of the process; within it each thread's clock counts its fences and syncwarps.
struct Moment {
    uint32_t epoch;
    uint32_t clock;
};

// A reader: several lanes, with their warp in the low bits.
constexpr uint16_t lanes_of_one_warp = 0x8000;
constexpr uint16_t several_warps = 0xffff;

// The state of a four-byte word: its last write and last reads, and which of its bytes are
// initialized.
struct Cell {
    uint32_t write_epoch;
    uint32_t read_epoch;
    uint32_t write_pc;
    uint32_t read_pc;
    uint32_t read_lanes;  // of lanes_of_one_warp; for several_warps two of the readers
    uint16_t write_clock;
    uint16_t read_clock;  // the latest, for several lanes
    uint16_t writer;
    uint16_t reader;
    uint8_t write_bytes : 4;
    uint8_t read_bytes : 4;
    uint8_t is_set : 4;
    uint8_t is_atomic_write : 1;
    uint8_t is_atomic_read : 1;
    uint8_t is_within_block : 1;  // whether one of them was atomic at block scope
    uint8_t in_flight : 4;        // bytes with an outstanding asynchronous copy

    Moment written() const { return {write_epoch, write_clock}; }
    Moment read() const { return {read_epoch, read_clock}; }
};
static_assert(sizeof(Cell) == 32, "a power of two, so that the index is a shift");

// Clocks saturate here: later accesses count as ordered.
constexpr uint32_t last_clock = 0xfff0;

struct Access {
    void* address;
    void* pc;
    unsigned size;
    bool is_write;
    bool is_atomic;
    bool is_within_block = false;  // atomic at block scope
    bool is_comparing = false;     // atomic, and conditional on the previous value
    const char* copied = nullptr;  // value that an asynchronous copy will write
};

enum class Space : uint8_t { global, shared, symbol };

// Checks whether the access is ordered after those in the cell; reports findings, and records it.
void visit(Cell& cell, unsigned bytes, const Access& access, Space space);
// Start of a comparing access of this thread: its own plain read before it was a look. Called
// before the thread yields, because the others read the word, too.
void note_look(const Cell& cell);
// Completion of an asynchronous copy; `visit` processed its issue.
void visit_arrival(Cell& cell, unsigned bytes, const Access& access, bool is_own);
// Reports that the source of an asynchronous copy was overwritten before its completion.
void tell_source_changed(const Cell& cell, const Copy& copy, const void* address, Space space);
// Decides deferred findings: at a barrier, at the end of a block, and at the end of a launch.
void tell_pending();
void tell_suspicions();

}  // namespace cusim::detect
