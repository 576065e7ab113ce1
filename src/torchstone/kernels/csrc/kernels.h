// What every instruction set offers: a table of functions over plain memory.
//
// Neither torch nor a thread is known here. A function does a range of rows, so that whoever calls
// it may give ranges to several threads; what it writes depends on the rows alone.
#pragma once

#include <cstdint>

namespace torchstone {

enum class Type { float32, bfloat16, float16, float64 };

// Statistics, parameters and their gradients are in the arithmetic of the input: double for
// float64, float for all others.
struct Norm {
    Type type;
    bool has_mean;         // LayerNorm; without it RMSNorm
    const void* input;     // (rows, width), in `type`
    const void* residual;  // the same, added to the input; or null
    const void* weight;    // (width)
    const void* bias;      // (width)
    void* sum;             // (rows, width), in `type`, of input and residual; or null
    void* out;             // (rows, width), in `type`
    void* mean;            // (rows), or null without a mean
    void* rstd;            // (rows)
    int64_t width;
    double eps;
    bool streams;  // whether `out` is written past the caches
};

struct NormBackward {
    Type type;
    bool has_mean;
    const void* grad;      // (rows, width), in `type`
    const void* grad_sum;  // the same, added to the result; or null
    const void* input;     // (rows, width), in `type`: what was normalised
    const void* weight;
    const void* mean;
    const void* rstd;
    void* grad_input;  // (rows, width), in `type`
    int64_t width;
    bool streams;
};

struct Kernels {
    const char* name;
    void (*norm)(const Norm&, int64_t first, int64_t last);
    // Adds what the rows contribute to the gradients of weight and bias, unless these are null.
    void (*norm_backward)(const NormBackward&, int64_t first, int64_t last, void* grad_weight,
                          void* grad_bias);
    // Brings numbers to the arithmetic of a type, or rounds them to the type.
    void (*widen)(Type, const void* from, void* to, int64_t count);
    void (*narrow)(Type, const void* from, void* to, int64_t count);
};

// The best table that this processor can run.
const Kernels& kernels();

// What the largest cache holds.
int64_t cache_bytes();

}  // namespace torchstone
