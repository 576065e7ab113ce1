#include "instructions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace cusim::instructions {
namespace {

#if defined(__aarch64__)
// The system does not always report it; the instruction does (Arm ARM, Loads and Stores).
bool is_store(uint32_t code) {
    if ((code & 0x0a000000) != 0x08000000) {
        return false;
    }
    const bool is_load = (code & 0x00400000) != 0;
    if ((code & 0x3f000000) == 0x08000000) {
        // An exclusive load belongs to a read-modify-write; of the others, ldar is a load.
        return !(is_load && (code & 0x00a00000) == 0x00800000);
    }
    if ((code & 0x3a000000) == 0x38000000) {
        // For a single register: atomics write too, and the second bit marks the longest vector.
        const bool is_atomic = (code & 0x01200c00) == 0x00200000;
        const bool is_vector = (code & 0x04000000) != 0;
        const uint32_t kind = code >> 22 & 3;
        return is_atomic || kind == 0 || (is_vector && kind == 2);
    }
    return !is_load;
}
#endif

}  // namespace

bool is_write(const ucontext_t* context) {
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    return is_store(*reinterpret_cast<const uint32_t*>(context->uc_mcontext.pc));
#else
    static_cast<void>(context);
    return false;
#endif
}

// Source: Intel SDM, volume 2: MOVAPS, MOVAPD, MOVDQA, MOVNTPS, MOVNTDQ.
bool is_aligned_move(const void* pc) {
#if defined(__x86_64__)
    const auto* at = static_cast<const unsigned char*>(pc);
    while (*at == 0x66 || (*at & 0xf0) == 0x40) {
        at++;
    }
    if (*at == 0x0f) {
        at += 1;
    } else if (*at == 0xc5) {
        at += 2;
    } else if (*at == 0xc4) {
        at += 3;
    } else if (*at == 0x62) {
        at += 4;
    } else {
        return false;
    }
    constexpr unsigned char moves[] = {0x28, 0x29, 0x2b, 0x6f, 0x7f, 0xe7};
    return std::find(std::begin(moves), std::end(moves), *at) != std::end(moves);
#else
    static_cast<void>(pc);
    return false;
#endif
}

}  // namespace cusim::instructions
