// Totals of the counted launches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "counters.h"

namespace cusim::detect {

// Start of a basic block of the program -> number of times that a thread executed it.
using Executed = std::map<void*, uint64_t>;

struct Totals {
    uint64_t requests = 0, lanes = 0, sectors = 0, ideal_sectors = 0, fresh_sectors = 0,
             wavefronts = 0, ideal_wavefronts = 0, contention = 0;
};
inline constexpr uint64_t Totals::*all_totals[] = {
    &Totals::requests,         &Totals::lanes,         &Totals::sectors,
    &Totals::ideal_sectors,    &Totals::fresh_sectors, &Totals::wavefronts,
    &Totals::ideal_wavefronts, &Totals::contention};
inline constexpr const char* names_of_totals[] = {"requests",      "lanes",         "sectors",
                                           "ideal_sectors", "fresh_sectors", "wavefronts",
                                           "ideal_wavefronts", "contention"};

using PlaceKey = std::tuple<void*, Counted, unsigned>;
// All launches of a kernel with the same configuration.
struct Launches {
    uint64_t launches = 0, counted_blocks = 0, barriers = 0, store_epochs = 0, static_bytes = 0;
    std::map<PlaceKey, Totals> places;
    Executed executed;
};
struct Shape {
    std::string kernel;
    unsigned sizes[6];
    size_t dynamic_bytes;
    bool cooperative;

    bool operator<(const Shape& other) const { return as_tuple() < other.as_tuple(); }
    std::tuple<const std::string&, const unsigned&, const unsigned&, const unsigned&,
               const unsigned&, const unsigned&, const unsigned&, size_t, bool>
    as_tuple() const {
        return {kernel,   sizes[0], sizes[1],      sizes[2],   sizes[3],
                sizes[4], sizes[5], dynamic_bytes, cooperative};
    }
};

extern CUSIM_HIDDEN std::map<Shape, Launches>& all_launches;
// Adds the executions since the last call.
void take_executed(Executed& to);

}  // namespace cusim::detect
