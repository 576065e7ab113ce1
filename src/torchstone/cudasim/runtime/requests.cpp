#if CUSIM_CHECK

#include "requests.h"

#include <algorithm>

namespace cusim::detect {

unsigned list_units(const LaneAccesses& accesses, unsigned size, unsigned unit,
                    uintptr_t* touched) {
    unsigned count = 0;
    const auto add = [&](uintptr_t one) {
        // Adjacent lanes mostly access the same unit.
        if (count == 0 || touched[count - 1] != one) {
            touched[count++] = one;
        }
    };
    for (unsigned left = accesses.lanes; left; left &= left - 1) {
        const uintptr_t address = accesses.addresses[__builtin_ctz(left)];
        add(address / unit);
        if ((address + size - 1) / unit != address / unit) {
            add((address + size - 1) / unit);
        }
    }
    std::sort(touched, touched + count);
    return static_cast<unsigned>(std::unique(touched, touched + count) - touched);
}

Passes count_passes(const LaneAccesses& accesses, unsigned size) {
    // Accesses of 8 and 16 bytes are processed per half and quarter warp.
    const unsigned parts = size <= 4 ? 1 : size / 4, lanes_each = 32 / parts;
    Passes passes{0, 0};
    for (unsigned part = 0; part < parts; part++) {
        uintptr_t words[2 * 32];
        unsigned count = 0;
        for (unsigned lane = part * lanes_each; lane < (part + 1) * lanes_each; lane++) {
            if (!(accesses.lanes >> lane & 1)) {
                continue;
            }
            const uintptr_t address = accesses.addresses[lane];
            for (uintptr_t word = address / 4; word <= (address + size - 1) / 4; word++) {
                words[count++] = word;
            }
        }
        std::sort(words, words + count);
        count = static_cast<unsigned>(std::unique(words, words + count) - words);
        unsigned in_bank[num_banks] = {}, most = 0;
        for (unsigned i = 0; i < count; i++) {
            most = std::max(most, ++in_bank[words[i] % num_banks]);
        }
        passes.needed += most;
        passes.at_best += count != 0;
    }
    return passes;
}

unsigned most_on_one_address(const LaneAccesses& accesses) {
    uintptr_t all[32];
    unsigned count = 0, most = 0, same = 0;
    for (unsigned left = accesses.lanes; left; left &= left - 1) {
        all[count++] = accesses.addresses[__builtin_ctz(left)];
    }
    std::sort(all, all + count);
    for (unsigned i = 0; i < count; i++) {
        same = i != 0 && all[i] == all[i - 1] ? same + 1 : 1;
        most = std::max(most, same);
    }
    return most;
}

}  // namespace cusim::detect

#endif
