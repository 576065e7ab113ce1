// Threads that try again and again until another one has changed a word of memory.
#include "machine.h"

namespace cusim {
namespace {
// A hash table is searched by attempts that fail, but not often at one place.
// Where threads give way, mostly another one is to release what is waited for.
constexpr unsigned patience = 32, patience_among_others = 2;
CUSIM_TLS const volatile void* place;
CUSIM_TLS unsigned num_attempts;
}  // namespace
}  // namespace cusim

extern "C" void cusim_spin(const volatile void* address) {
    if (address != cusim::place) {
        cusim::place = address;
        cusim::num_attempts = 0;
    } else if (++cusim::num_attempts >=
               (cusim_gives_way ? cusim::patience_among_others : cusim::patience)) {
        cusim::num_attempts = 0;
        cusim_yield();
    }
}
