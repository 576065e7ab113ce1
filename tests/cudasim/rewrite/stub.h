// The least that rewritten programs need: each launch runs its kernel once, as one thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#define CUSIM_NAME(...) CUSIM_NAME_(__VA_ARGS__)
#define CUSIM_NAME_(...) #__VA_ARGS__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static_assert(false, "__shared__ is left over");
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))

typedef struct CUstream_st* cudaStream_t;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
inline dim3 last_grid, last_block;
inline size_t last_shared_bytes;
inline int num_launches, num_symbols;
inline char last_name[256], symbol_names[1024], kernel_names[1024];
inline unsigned slot_line, slot_alignment;
inline void* cusim_dynamic_shared() {
    alignas(64) static char memory[1 << 12];
    return memory;
}

namespace cusim {
template <class T>
struct Same {
    using type = T;
};

class Launch {
   public:
    Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes = 0,
           cudaStream_t stream = nullptr) {
        std::strncpy(last_name, name, sizeof last_name - 1);
        last_grid = grid;
        last_block = block;
        last_shared_bytes = shared_bytes;
        static_cast<void>(stream);
        ++num_launches;
    }
    template <class... P>
    void run(void (*kernel)(P...), typename Same<P>::type... arguments) const {
        kernel(arguments...);
    }
    template <class F, class... A,
              class = std::enable_if_t<!std::is_function<std::remove_pointer_t<F>>::value>>
    void run(F function, A&&... arguments) const {
        function(std::forward<A>(arguments)...);
    }
};

// Here a kernel that is called just runs: the call is what is tested.
struct Configuration : Launch {
    using Launch::Launch;
};
template <class... N>
void launch_bounds(N...) {}
inline bool is_called_for_launch() { return false; }
template <class T>
using plain_type = T;
template <auto Kernel, class = decltype(Kernel)>
struct LaunchStub;
template <auto Kernel, class... P>
struct LaunchStub<Kernel, void (*)(P...)> {
    static void begin_launch(P... arguments) { Kernel(std::forward<P>(arguments)...); }
};

enum class SymbolKind : int { device, constant, managed };
struct Symbol {
    Symbol(void*, size_t, const char* name, SymbolKind) {
        std::strcat(std::strcat(symbol_names, name), " ");
        ++num_symbols;
    }
};
struct Registered {
    template <class... P>
    Registered(const char* name, void (*)(P...)) {
        std::strcat(std::strcat(kernel_names, name), " ");
    }
};
struct SharedSlot {
    const char* name;
    size_t size, alignment;
    unsigned line;
    void* memory = nullptr;
    constexpr SharedSlot(const char* n, size_t s, size_t a, unsigned l)
        : name(n), size(s), alignment(a), line(l) {}
};
inline void* shared_variable(SharedSlot& slot) {
    slot_line = slot.line;
    slot_alignment = static_cast<unsigned>(slot.alignment);
    if (!slot.memory) slot.memory = ::operator new(slot.size, std::align_val_t(64));
    return slot.memory;
}
}  // namespace cusim

// A program returns how many of its checks failed.
inline int num_failed;
#define EXPECT(...) \
    ((__VA_ARGS__) ? 0 : (std::printf("line %d: %s\n", __LINE__, #__VA_ARGS__), ++num_failed))
#define EXPECT_NAME(text) EXPECT(std::strcmp(last_name, text) == 0)
