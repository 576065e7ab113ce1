// Interface of every instruction set: a table of functions over plain memory.
//
// Independent of torch and of threads. A function computes a range of rows, so that its caller can
// distribute ranges over threads; the results depend only on the rows.
#pragma once

#include <cstdint>

namespace torchstone {

enum class Type { float32, bfloat16, float16, float64 };

// Statistics, parameters and their gradients have the compute type: double for float64, float for
// all others.
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
    bool streams;  // whether `out` is written with non-temporal stores
};

struct NormBackward {
    Type type;
    bool has_mean;
    const void* grad;      // (rows, width), in `type`
    const void* grad_sum;  // the same, added to the result; or null
    const void* input;     // (rows, width), in `type`: the input of the normalization
    const void* weight;
    const void* mean;
    const void* rstd;
    void* grad_input;  // (rows, width), in `type`
    int64_t width;
    bool streams;
};

struct Softmax {
    Type type;
    const void* input;  // (rows, width), in `type`
    void* out;          // the same
    int64_t width;
    bool streams;
};

struct SoftmaxBackward {
    Type type;
    const void* grad;  // (rows, width), in `type`
    const void* out;   // the same, of the forward
    void* grad_input;  // the same
    int64_t width;
    bool streams;
};

struct CrossEntropy {
    Type type;
    const void* logits;      // (rows, width), in `type`
    const int64_t* targets;  // (rows): class indices below the width, or `ignored`
    void* losses;            // (rows); input of the backward pass: their gradients
    void* statistics;        // (rows, 2): the row maximum m, and log sum exp(x - m)
    void* grad_logits;       // (rows, width), in `type`; null in forward
    int64_t width;
    int64_t ignored;
    double smoothing;
    bool streams;
};

struct BiasGelu {
    Type type;
    const void* grad;   // (rows, width), in `type`; null in forward
    const void* input;  // (rows, width), in `type`
    const void* bias;   // (width)
    void* out;          // (rows, width), in `type`: the result, or the gradient of the input
    int64_t width;
};

struct Rotary {
    Type type;
    const void* input;    // (rows, width), in `type`
    const void* cosines;  // (num_places, width / 2); row r has position r % num_places
    const void* sines;
    void* out;  // (rows, width), in `type`
    int64_t width;
    int64_t num_places;
    bool is_interleaved;  // whether partners are adjacent elements, or half a row apart
    bool turns_back;      // rotates by the negative angle: backward
};

struct AdamW {
    Type type;
    void* param;       // in `type`
    const void* grad;  // in `type`
    void* mean;        // running mean of the gradient, in the compute type
    void* square;      // running mean of its square
    double lr, beta1, beta2, eps, weight_decay;
    double correction1, correction2;  // 1 - beta^step
};

struct Swiglu {
    Type type;
    const void* grad;  // in `type`, as all of these; null in forward
    const void* gate;
    const void* up;
    void* out;      // the result, or the gradient of the gate
    void* grad_up;  // null in forward
};

// Rows of a tensor (batch, heads, positions, head_dim), each contiguous; strides are in elements.
struct Heads {
    void* data;
    int64_t batch_step, head_step, row_step;
};

struct Attention {
    Type type;
    Heads query, key, value, out;
    void* lse;  // (batch, heads, queries): logsumexp of each row of scores
    int64_t batch, num_heads, num_key_heads, num_queries, num_keys, head_dim;
    int64_t num_sequences;       // sequences packed in one batch entry, or the batch size
    int64_t longest_q, longest_k;
    const int64_t* starts_q;     // (num_sequences + 1) offsets; null if not packed
    const int64_t* starts_k;
    const bool* key_is_padding;  // (batch, keys); or null
    const void* slopes;          // (heads), in the arithmetic of `type`; or null
    int64_t left, right;         // number of visible keys on each side; unlimited if negative
    double scale;
    bool drops;
    double dropout;  // dropout probability
    uint64_t seed;
};

struct AttentionBackward {
    Attention forward;
    Heads grad, grad_query, grad_key, grad_value;
};

// Encoding of codes: one integer per byte, two per byte with the low nibble first, or
// float8_e4m3fn.
enum class Codes { int8, int4, fp8 };

struct BlockQuantize {
    Type type;
    Codes codes;
    const void* input;  // (rows, width), in `type`
    void* out;          // (rows, width), or half of it: codes
    void* scales;       // (rows, width / block), in bfloat16
    int64_t width;
    int64_t block;
};

struct BlockDequantize {
    Type type;
    Codes codes;
    const void* input;   // codes
    const void* scales;  // (rows, width / block), in bfloat16
    void* out;           // (rows, width), in `type`
    int64_t width;
    int64_t block;
};

struct Kernels {
    const char* name;
    void (*norm)(const Norm&, int64_t first, int64_t last);
    // Adds the rows' contributions to the gradients of weight and bias, unless these are null.
    void (*norm_backward)(const NormBackward&, int64_t first, int64_t last, void* grad_weight,
                          void* grad_bias);
    // The caller provides memory for a row in the compute type.
    void (*softmax)(const Softmax&, int64_t first, int64_t last, void* memory);
    void (*softmax_backward)(const SoftmaxBackward&, int64_t first, int64_t last);
    void (*cross_entropy)(const CrossEntropy&, int64_t first, int64_t last);
    void (*cross_entropy_backward)(const CrossEntropy&, int64_t first, int64_t last);
    void (*bias_gelu)(const BiasGelu&, int64_t first, int64_t last);
    // Adds the rows' contributions to the gradient of the bias, unless that is null.
    void (*bias_gelu_backward)(const BiasGelu&, int64_t first, int64_t last, void* grad_bias);
    // Processes a range of elements.
    void (*swiglu)(const Swiglu&, int64_t first, int64_t last);
    void (*swiglu_backward)(const Swiglu&, int64_t first, int64_t last);
    void (*rotary)(const Rotary&, int64_t first, int64_t last);
    // Processes a range of elements.
    void (*adamw)(const AdamW&, int64_t first, int64_t last);
    // Process a range of tasks; a call has `attention_tasks` of them. A range needs its own memory
    // of `attention_bytes`, aligned to 64 bytes.
    int64_t (*attention_tasks)(const Attention&, bool backward);
    int64_t (*attention_bytes)(const Attention&, bool backward);
    void (*attention)(const Attention&, int64_t first, int64_t last, void* memory);
    void (*attention_backward)(const AttentionBackward&, int64_t first, int64_t last, void* memory);
    // The caller provides memory for a row, in the compute type, and in float.
    void (*block_quantize)(const BlockQuantize&, int64_t first, int64_t last, void* memory);
    void (*block_dequantize)(const BlockDequantize&, int64_t first, int64_t last, void* memory);
    // Convert elements to the compute type, or round them to the type.
    void (*widen)(Type, const void* from, void* to, int64_t count);
    void (*narrow)(Type, const void* from, void* to, int64_t count);
};

// The best table that this processor can run.
const Kernels& kernels();

// Size of the largest cache.
int64_t cache_bytes();

}  // namespace torchstone
