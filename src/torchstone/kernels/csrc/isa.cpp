// The kernels for one instruction set. Compiled once for each, with its flags and its name in
// KERNELS_ISA.
#include "norm.h"

namespace torchstone {
namespace KERNELS_ISA {
namespace {

// Calls a function with a number of the type.
template <typename Function>
void with_type(Type type, Function function) {
    switch (type) {
        case Type::float32: return function(float{});
        case Type::bfloat16: return function(BFloat16{});
        case Type::float16: return function(Half{});
        case Type::float64: return function(double{});
    }
}

// Whether each row begins where a vector of the output may be written past the caches.
template <typename T>
bool is_aligned(const void* out, int64_t width) {
    constexpr uintptr_t align = num_lanes<T> * sizeof(T);
    return reinterpret_cast<uintptr_t>(out) % align == 0 && width * sizeof(T) % align == 0;
}

// Calls a function with a truth that is known when it is compiled.
template <typename Function>
void with_bool(bool value, Function function) {
    if (value) {
        function(std::true_type{});
    } else {
        function(std::false_type{});
    }
}

void norm(const Norm& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) {
        with_bool(it.streams && is_aligned<T>(it.out, it.width), [&](auto streams) {
            with_bool(it.has_mean, [&](auto has_mean) {
                normalise_rows<T, streams(), has_mean()>(it, first, last);
            });
        });
    });
}

void norm_backward(const NormBackward& it, int64_t first, int64_t last, void* grad_weight,
                   void* grad_bias) {
    with_type(it.type, [&]<typename T>(T) {
        with_bool(it.has_mean, [&](auto has_mean) {
            if (grad_weight == nullptr) {
                backward_of_norm<T, false, has_mean(), false>(it, first, last, nullptr, nullptr);
                return;
            }
            with_bool(it.streams && is_aligned<T>(it.grad_input, it.width), [&](auto streams) {
                backward_of_norm<T, streams(), has_mean(), true>(it, first, last, grad_weight,
                                                                 grad_bias);
            });
        });
    });
}

void widen(Type type, const void* from, void* to, int64_t count) {
    with_type(type, [&]<typename T>(T) {
        const auto* source = static_cast<const T*>(from);
        map_row<false>(static_cast<Compute<T>*>(to), count,
                       [&](int64_t i, auto load) { return load(source + i); });
    });
}

void narrow(Type type, const void* from, void* to, int64_t count) {
    with_type(type, [&]<typename T>(T) {
        const auto* source = static_cast<const Compute<T>*>(from);
        map_row<false>(static_cast<T*>(to), count,
                       [&](int64_t i, auto load) { return load(source + i); });
    });
}

}  // namespace
}  // namespace KERNELS_ISA

#define TORCHSTONE_TEXT(name) #name
#define TORCHSTONE_NAME(name) TORCHSTONE_TEXT(name)
#define TORCHSTONE_JOIN(name) name##_kernels
#define TORCHSTONE_TABLE(name) TORCHSTONE_JOIN(name)

extern const Kernels TORCHSTONE_TABLE(KERNELS_ISA);
const Kernels TORCHSTONE_TABLE(KERNELS_ISA) = {
    TORCHSTONE_NAME(KERNELS_ISA),
    KERNELS_ISA::norm,
    KERNELS_ISA::norm_backward,
    KERNELS_ISA::widen,
    KERNELS_ISA::narrow,
};

}  // namespace torchstone
