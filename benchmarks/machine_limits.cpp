// What a core with AVX-512 can do at most: products a second, and bytes a second by the way they
// are stored. One thread, processor time, median and spread of nine rounds.
//
//     g++ -std=c++20 -O2 -march=native benchmarks/machine_limits.cpp -o /tmp/limits && /tmp/limits
//
// Products are instructions that are written out: a compiler that sees a loop whose sum nobody
// wants leaves it out, and a single sum waits for itself.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int rounds = 9;

double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

// Prints how much of `work` is done in a second, in billions, and how long once takes.
template <typename Run>
void measure(const char* name, double work, Run run) {
    std::array<double, rounds> seconds;
    run();
    for (double& each : seconds) {
        const double start = processor_seconds();
        run();
        each = processor_seconds() - start;
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[rounds / 2];
    std::printf("%-26s %7.1f  (%.1f to %.1f)  %.3f ms\n", name, work / median * 1e-9,
                work / seconds.back() * 1e-9, work / seconds.front() * 1e-9, median * 1e3);
}

#define SUM(instruction, number) instruction " %%zmm30, %%zmm31, %%zmm" #number "\n"
#define TWELVE_SUMS(instruction)                                                            \
    SUM(instruction, 0) SUM(instruction, 1) SUM(instruction, 2) SUM(instruction, 3)         \
    SUM(instruction, 4) SUM(instruction, 5) SUM(instruction, 6) SUM(instruction, 7)         \
    SUM(instruction, 8) SUM(instruction, 9) SUM(instruction, 10) SUM(instruction, 11)
#define CHANGES                                                                             \
    "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9",         \
        "zmm10", "zmm11", "zmm30", "zmm31"

void measure_products() {
    constexpr long count = 10'000'000;
    constexpr double lanes = 16, sums = 12;
    asm volatile("vpxorq %%zmm30, %%zmm30, %%zmm30\nvpxorq %%zmm31, %%zmm31, %%zmm31\n" ::
                     : "zmm30", "zmm31");
    std::puts("products and additions, 1e9 a second");
    measure("float32, one sum", count * lanes * 2, [] {
        for (long i = 0; i < count; i++) {
            asm volatile(SUM("vfmadd231ps", 0)::: CHANGES);
        }
    });
    measure("float32", count * sums * lanes * 2, [] {
        for (long i = 0; i < count; i++) {
            asm volatile(TWELVE_SUMS("vfmadd231ps")::: CHANGES);
        }
    });
#ifdef __AVX512BF16__
    measure("bfloat16", count * sums * lanes * 4, [] {
        for (long i = 0; i < count; i++) {
            asm volatile(TWELVE_SUMS("vdpbf16ps")::: CHANGES);
        }
    });
#endif
}

// Bytes that are named in the program: each line once for a read, and once for a write.
void measure_bytes(size_t bytes) {
    const int repeats = bytes < size_t{32} << 20 ? 8 : 1;
    char* const from = static_cast<char*>(std::aligned_alloc(64, bytes));
    char* const to = static_cast<char*>(std::aligned_alloc(64, bytes));
    // Pages that were never written are all one page of zeros.
    std::memset(from, 1, bytes);
    std::memset(to, 2, bytes);
    const auto each_line = [&](auto step) {
        for (int k = 0; k < repeats; k++) {
            for (size_t i = 0; i < bytes; i += 64) {
                step(i);
            }
        }
        _mm_sfence();
    };
    const double moved = 2.0 * bytes * repeats;
    std::printf("tensors of %.1f MiB, %d times: 1e9 bytes a second\n", bytes / 1048576.0, repeats);
    measure("copy", moved, [&] {
        each_line([&](size_t i) { _mm512_store_si512(to + i, _mm512_load_si512(from + i)); });
    });
    measure("copy past the caches", moved, [&] {
        each_line([&](size_t i) {
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
        });
    });
    measure("change in place", moved, [&] {
        each_line([&](size_t i) {
            const __m512i line = _mm512_load_si512(to + i);
            _mm512_store_si512(to + i, _mm512_add_epi32(line, line));
        });
    });
    std::free(from);
    std::free(to);
}

}  // namespace

int main() {
    measure_products();
    // float32 of (4096, 768), (16384, 768) and (4096, 4096), and more than any cache holds.
    for (const size_t kibibytes : {12288, 49152, 65536, 262144}) {
        measure_bytes(kibibytes << 10);
    }
}
