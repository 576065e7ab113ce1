// Chooses the instruction set of this processor, once at run time.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "kernels.h"

namespace torchstone {

extern const Kernels plain_kernels;
#if defined(WITH_avx2)
extern const Kernels avx2_kernels;
#endif
#if defined(WITH_avx512)
extern const Kernels avx512_kernels;
#endif
#if defined(WITH_avx512_bf16)
extern const Kernels avx512_bf16_kernels;
#endif

namespace {

// Calls a function with each compiled table that this processor supports, best first, until it
// returns true.
template <typename Function>
void for_each_runnable(Function function) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    [[maybe_unused]] const bool has_avx2 = __builtin_cpu_supports("avx2") &&
                                           __builtin_cpu_supports("fma") &&
                                           __builtin_cpu_supports("f16c");
    [[maybe_unused]] const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                                             __builtin_cpu_supports("avx512bw") &&
                                             __builtin_cpu_supports("avx512dq") &&
                                             __builtin_cpu_supports("avx512vl");
#endif
#if defined(WITH_avx512_bf16)
    if (has_avx512 && __builtin_cpu_supports("avx512bf16") && function(avx512_bf16_kernels)) {
        return;
    }
#endif
#if defined(WITH_avx512)
    if (has_avx512 && function(avx512_kernels)) {
        return;
    }
#endif
#if defined(WITH_avx2)
    if (has_avx2 && function(avx2_kernels)) {
        return;
    }
#endif
#if defined(WITH_plain)
    function(plain_kernels);
#endif
}

const Kernels* find(const char* name) {
    const Kernels* found = nullptr;
    for_each_runnable([&](const Kernels& table) {
        const bool is_wanted = name == nullptr || std::strcmp(table.name, name) == 0;
        found = is_wanted ? &table : nullptr;
        return is_wanted;
    });
    return found;
}

std::atomic<const Kernels*> chosen{nullptr};

}  // namespace

const Kernels& kernels() {
    const Kernels* table = chosen.load(std::memory_order_relaxed);
    if (table == nullptr) {
        table = find(nullptr);
        chosen.store(table, std::memory_order_relaxed);
    }
    return *table;
}

int64_t cache_bytes() {
    // The cache shared by the first core; sysconf adds up all caches of the machine.
    static const int64_t known = [] {
        long kibibytes = 0;
        const char* const path = "/sys/devices/system/cpu/cpu0/cache/index3/size";
        if (std::FILE* const file = std::fopen(path, "r")) {
            if (std::fscanf(file, "%ldK", &kibibytes) != 1) {
                kibibytes = 0;
            }
            std::fclose(file);
        }
        return kibibytes > 0 ? int64_t{kibibytes} << 10 : int64_t{32} << 20;
    }();
    return known;
}

}  // namespace torchstone

// For comparisons and tests: switches to another instruction set, and returns the name of the
// previous one, or null if this processor does not support it. Without a name it only returns the
// current one.
extern "C" __attribute__((visibility("default"))) const char* torchstone_instruction_set(
    const char* wanted) {
    const char* const name = torchstone::kernels().name;
    if (wanted != nullptr) {
        const torchstone::Kernels* const table = torchstone::find(wanted);
        if (table == nullptr) {
            return nullptr;
        }
        torchstone::chosen.store(table);
    }
    return name;
}
