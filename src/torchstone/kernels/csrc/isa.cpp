// The kernels for one instruction set. Compiled once per set, with its flags and its name in
// KERNELS_ISA.
#include "activations.h"
#include "adamw.h"
#include "attention_backward.h"
#include "blocks.h"
#include "cross_entropy.h"
#include "norm.h"
#include "rotary.h"
#include "softmax.h"

namespace torchstone {
namespace KERNELS_ISA {
namespace {

// Calls a function with a value of the type.
template <typename Function>
void with_type(Type type, Function function) {
    switch (type) {
        case Type::float32: return function(float{});
        case Type::bfloat16: return function(BFloat16{});
        case Type::float16: return function(Half{});
        case Type::float64: return function(double{});
    }
}

// Whether each row is aligned for non-temporal vector stores.
template <typename T>
bool is_aligned(const void* out, int64_t width) {
    constexpr uintptr_t align = num_lanes<T> * sizeof(T);
    return reinterpret_cast<uintptr_t>(out) % align == 0 && width * sizeof(T) % align == 0;
}

// Calls a function with a compile-time boolean.
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

void softmax(const Softmax& it, int64_t first, int64_t last, void* memory) {
    with_type(it.type, [&]<typename T>(T) {
        with_bool(it.streams && is_aligned<T>(it.out, it.width),
                  [&](auto streams) {
                      auto* const numbers = static_cast<Compute<T>*>(memory);
                      softmax_rows<T, streams()>(it, first, last, numbers);
                  });
    });
}

void softmax_backward(const SoftmaxBackward& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) {
        with_bool(it.streams && is_aligned<T>(it.grad_input, it.width),
                  [&](auto streams) { softmax_backward_rows<T, streams()>(it, first, last); });
    });
}

void cross_entropy(const CrossEntropy& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { cross_entropy_rows<T>(it, first, last); });
}

void cross_entropy_backward(const CrossEntropy& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) {
        with_bool(it.streams && is_aligned<T>(it.grad_logits, it.width), [&](auto streams) {
            cross_entropy_backward_rows<T, streams()>(it, first, last);
        });
    });
}

void bias_gelu(const BiasGelu& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { bias_gelu_rows<T>(it, first, last); });
}

void bias_gelu_backward(const BiasGelu& it, int64_t first, int64_t last, void* grad_bias) {
    with_type(it.type,
              [&]<typename T>(T) { bias_gelu_backward_rows<T>(it, first, last, grad_bias); });
}

void swiglu(const Swiglu& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { swiglu_range<T>(it, first, last); });
}

void swiglu_backward(const Swiglu& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { swiglu_backward_range<T>(it, first, last); });
}

void rotary(const Rotary& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { rotate_rows<T>(it, first, last); });
}

void adamw(const AdamW& it, int64_t first, int64_t last) {
    with_type(it.type, [&]<typename T>(T) { adamw_range<T>(it, first, last); });
}

int64_t attention_tasks(const Attention& it, bool backward) {
    return it.num_sequences *
           (backward ? it.num_key_heads : it.num_heads * forward_tasks_of_head(it));
}

int64_t attention_bytes(const Attention& it, bool backward) {
    Arena arena(nullptr);
    with_type(it.type, [&]<typename T>(T) {
        if (backward) {
            BackwardMemory<T>(arena, it);
        } else {
            ForwardMemory<T>(arena, it.head_dim);
        }
    });
    return arena.used();
}

void attention(const Attention& it, int64_t first, int64_t last, void* memory) {
    with_type(it.type, [&]<typename T>(T) { attention_range<T>(it, first, last, memory); });
}

void attention_backward(const AttentionBackward& it, int64_t first, int64_t last, void* memory) {
    with_type(it.forward.type,
              [&]<typename T>(T) { attention_backward_range<T>(it, first, last, memory); });
}

void block_quantize(const BlockQuantize& it, int64_t first, int64_t last, void* memory) {
    with_type(it.type, [&]<typename T>(T) { block_quantize_rows<T>(it, first, last, memory); });
}

void block_dequantize(const BlockDequantize& it, int64_t first, int64_t last, void* memory) {
    with_type(it.type, [&]<typename T>(T) { block_dequantize_rows<T>(it, first, last, memory); });
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
    KERNELS_ISA::softmax,
    KERNELS_ISA::softmax_backward,
    KERNELS_ISA::cross_entropy,
    KERNELS_ISA::cross_entropy_backward,
    KERNELS_ISA::bias_gelu,
    KERNELS_ISA::bias_gelu_backward,
    KERNELS_ISA::swiglu,
    KERNELS_ISA::swiglu_backward,
    KERNELS_ISA::rotary,
    KERNELS_ISA::adamw,
    KERNELS_ISA::attention_tasks,
    KERNELS_ISA::attention_bytes,
    KERNELS_ISA::attention,
    KERNELS_ISA::attention_backward,
    KERNELS_ISA::block_quantize,
    KERNELS_ISA::block_dequantize,
    KERNELS_ISA::widen,
    KERNELS_ISA::narrow,
};

}  // namespace torchstone
