// The kernels for one instruction set. Compiled once for each, with its flags and its name in
// TORCHSTONE_ISA.
#include "layer_norm.h"

namespace torchstone {
namespace TORCHSTONE_ISA {
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

void layer_norm(const LayerNorm& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) {
        if (it.streams && is_aligned<T>(it.out, it.width)) {
            normalise_rows<T, true>(it, first, last);
        } else {
            normalise_rows<T, false>(it, first, last);
        }
    });
}

void layer_norm_backward(const LayerNormBackward& it, int64_t first, int64_t last,
                         void* grad_weight, void* grad_bias) {
    with_type(it.type, [&]<typename T>(T) {
        if (grad_weight == nullptr) {
            backward<T, false, false>(it, first, last, nullptr, nullptr);
        } else if (it.streams && is_aligned<T>(it.grad_input, it.width)) {
            backward<T, true, true>(it, first, last, grad_weight, grad_bias);
        } else {
            backward<T, false, true>(it, first, last, grad_weight, grad_bias);
        }
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
}  // namespace TORCHSTONE_ISA

#define TORCHSTONE_TEXT(name) #name
#define TORCHSTONE_NAME(name) TORCHSTONE_TEXT(name)
#define TORCHSTONE_JOIN(name) name##_kernels
#define TORCHSTONE_TABLE(name) TORCHSTONE_JOIN(name)

extern const Kernels TORCHSTONE_TABLE(TORCHSTONE_ISA);
const Kernels TORCHSTONE_TABLE(TORCHSTONE_ISA) = {
    TORCHSTONE_NAME(TORCHSTONE_ISA),
    TORCHSTONE_ISA::layer_norm,
    TORCHSTONE_ISA::layer_norm_backward,
    TORCHSTONE_ISA::widen,
    TORCHSTONE_ISA::narrow,
};

}  // namespace torchstone
