// Writes the counters as JSON.
#include <dlfcn.h>

#include "counters.h"

#if CUSIM_CHECK

#include <iterator>

#include "findings.h"
#include "tallies.h"

namespace cusim::detect {
namespace {

std::string offset_in(const Dl_info& info, const void* pc) {
    return std::to_string(reinterpret_cast<uintptr_t>(pc) -
                          reinterpret_cast<uintptr_t>(info.dli_fbase));
}

}  // namespace

std::string counters_to_json() {
    static const char* const names[] = {
        "global load",   "global store",  "shared load", "shared store",
        "constant load", "global atomic", "shared atomic", "barrier",
        "shuffle",       "shuffle up",    "shuffle down", "shuffle xor",
        "vote",          "match",         "warp reduce", "warp sync"};
    const auto number = [](const char* name, uint64_t value) {
        return std::string(",\"") + name + "\":" + std::to_string(value);
    };
    const auto three = [](const unsigned* sizes) {
        return '[' + std::to_string(sizes[0]) + ',' + std::to_string(sizes[1]) + ',' +
               std::to_string(sizes[2]) + ']';
    };
    std::string out = "[";
    for (const auto& [shape, launches] : all_launches) {
        out += out.size() == 1 ? "" : ",\n";
        out += "{\"kernel\":" + findings::quoted(shape.kernel) + ",\"grid\":" + three(shape.sizes) +
               ",\"block\":" + three(shape.sizes + 3) +
               number("dynamic_bytes", shape.dynamic_bytes) +
               number("static_bytes", launches.static_bytes) +
               number("launches", launches.launches) +
               number("counted_blocks", launches.counted_blocks) +
               number("barriers", launches.barriers) +
               number("store_epochs", launches.store_epochs) + ",\"places\":[";
        for (const auto& [key, total] : launches.places) {
            const auto& [pc, what, size] = key;
            Dl_info info{};
            if (!dladdr(pc, &info)) {
                continue;
            }
            out += out.back() == '[' ? "" : ",\n";
            out += std::string("{\"place\":[\"") + info.dli_fname + "\"," + offset_in(info, pc) +
                   "],\"what\":\"" + names[static_cast<int>(what)] + '"' + number("bytes", size);
            for (size_t i = 0; i < std::size(names_of_totals); i++) {
                out += number(names_of_totals[i], total.*all_totals[i]);
            }
            out += '}';
        }
        out += "],\"executed\":[";
        for (const auto& [pc, count] : launches.executed) {
            Dl_info info{};
            if (dladdr(pc, &info)) {
                out += std::string(out.back() == '[' ? "" : ",") + "[\"" + info.dli_fname + "\"," +
                       offset_in(info, pc) + ',' + std::to_string(count) + ']';
            }
        }
        out += "]}";
    }
    return out + "]";
}

void clear_counters() { all_launches.clear(); }

}  // namespace cusim::detect

#else

namespace cusim::detect {
void choose_counted_blocks(CountedBlocks) {}
std::string counters_to_json() { return "[]"; }
void clear_counters() {}
}  // namespace cusim::detect

#endif

// The text is valid until the next call.
extern "C" const char* cusim_counters() {
    static std::string& text = *new std::string;
    text = cusim::detect::counters_to_json();
    return text.c_str();
}
extern "C" void cusim_count_blocks(int which) {
    cusim::detect::choose_counted_blocks(static_cast<cusim::detect::CountedBlocks>(which % 3));
}
extern "C" void cusim_clear_counters() { cusim::detect::clear_counters(); }
