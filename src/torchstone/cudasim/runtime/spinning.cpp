// Spin loops: repeated attempts until another thread has changed a word of memory.
#include "machine.h"

namespace cusim {
namespace {
// Hash table searches also have failing attempts, but few at one location. If threads yield,
// usually another one must run to release the word.
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
