// Arguments of attention: tensors, sequences, masks and dropout.
#pragma once

#include <cmath>

#include "rows.cuh"

namespace torchstone::cuda {

// A tensor of shape (batch, heads, positions, head_dim): strides in elements; that of head_dim is
// 1.
struct View {
    void* data;
    int64_t batch, head, place;

    template <typename T>
    __device__ T* at(int64_t of_batch, int64_t of_head, int64_t of_place) const {
        return static_cast<T*>(data) + of_batch * batch + of_head * head + of_place * place;
    }
};

// Same fields, in the same order, as in attention.py.
struct Attention {
    View query, key, value, out;
    // Backward only, with delta.
    View grad, grad_query, grad_key, grad_value;
    // (batch, heads, queries), contiguous: the logsumexp of each query, and the sum of its grad *
    // out.
    void *lse, *delta;
    // Each may be null: ALiBi slopes by head; (batch, keys), true where a key is padding; the
    // dropout seed; offsets of the sequences, and the end of the last one.
    const void* slopes;
    const bool* key_padding;
    const int64_t *seed, *cu_seq_q, *cu_seq_k;
    // Without cu_seq_q each batch entry is a sequence of num_queries and num_keys.
    int64_t num_batches, num_sequences, num_heads, num_key_heads, num_queries, num_keys;
    // Upper bounds over all sequences.
    int64_t max_q, max_k;
    // Number of visible keys before and after a query's position; all, if negative.
    int64_t head_dim, left, right;
    // A probability whose random word is below the threshold is dropped, the others are scaled.
    int64_t threshold;
    double scale, growth;
    // Whether all rows are aligned to a vector load, and multiples of it.
    int64_t is_aligned;
};

// Offset and size of a sequence within the tensors.
struct Sequence {
    int number;
    int64_t batch, first_query, first_key;
    int num_queries, num_keys;
};

__device__ inline Sequence sequence_of(const Attention& all, int number) {
    if (all.cu_seq_q == nullptr) {
        return {number, number, 0, 0, static_cast<int>(all.num_queries),
                static_cast<int>(all.num_keys)};
    }
    const int64_t query = all.cu_seq_q[number], key = all.cu_seq_k[number];
    return {number, 0, query, key, static_cast<int>(all.cu_seq_q[number + 1] - query),
            static_cast<int>(all.cu_seq_k[number + 1] - key)};
}

// The first word of Philox2x32-10: a random number per counter, in any order.
//
// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011, section 3.3.
__device__ inline uint32_t philox(uint32_t low, uint32_t high, uint32_t key) {
    for (int round = 0; round < 10; round++) {
        const uint64_t product = static_cast<uint64_t>(low) * 0xD256D193u;
        low = static_cast<uint32_t>(product >> 32) ^ key ^ high;
        high = static_cast<uint32_t>(product);
        key += 0x9E3779B9u;
    }
    return low;
}

// Positions from begin, exclusive of end.
struct Range {
    int begin, end;
};

// One head of one sequence: conversion of products of queries and keys to scores. Both are indexed
// within the sequence.
template <typename Number>
struct Mask {
    int num_queries, num_keys, left, right;
    // The key position of query 0: the last query is aligned with the last key.
    int offset;
    const bool* padding;
    Number scale, slope, growth;
    bool drops;
    uint32_t dropout_key, threshold;

    __device__ Mask(const Attention& all, const Sequence& sequence, int head)
        : num_queries(sequence.num_queries),
          num_keys(sequence.num_keys),
          left(static_cast<int>(all.left)),
          right(static_cast<int>(all.right)),
          offset(sequence.num_keys - sequence.num_queries),
          padding(all.key_padding),
          scale(static_cast<Number>(all.scale)),
          slope(all.slopes != nullptr ? static_cast<const Number*>(all.slopes)[head] : Number{0}),
          growth(static_cast<Number>(all.growth)),
          drops(all.seed != nullptr),
          dropout_key(0),
          threshold(static_cast<uint32_t>(all.threshold)) {
        if (padding != nullptr) padding += sequence.batch * all.num_keys + sequence.first_key;
        if (drops) {
            // Each head of each sequence has its own dropout key.
            const uint64_t seed = static_cast<uint64_t>(*all.seed);
            const int64_t number = sequence.number * all.num_heads + head;
            dropout_key = philox(static_cast<uint32_t>(number), static_cast<uint32_t>(seed),
                                 static_cast<uint32_t>(seed >> 32));
        }
    }

    __device__ bool sees(int query, int key) const {
        const int distance = key - (query + offset);
        return query < num_queries && key < num_keys && (left < 0 || distance >= -left) &&
               (right < 0 || distance <= right) && (padding == nullptr || !padding[key]);
    }

    // ALiBi: Press et al., "Train Short, Test Long", 2021, section 3.
    __device__ Number score(Number product, int query, int key) const {
        const int distance = key - (query + offset);
        return product * scale - slope * static_cast<Number>(distance < 0 ? -distance : distance);
    }

    // The dropout factor of a probability: 0 if it is dropped.
    __device__ Number factor(int query, int key) const {
        if (!drops) return 1;
        const uint32_t word =
            philox(static_cast<uint32_t>(query), static_cast<uint32_t>(key), dropout_key);
        return word >= threshold ? growth : Number{0};
    }

    // The range of all keys visible to the queries from first, exclusive of last.
    __device__ Range keys_of(int first, int last) const {
        if (last > num_queries) last = num_queries;
        const int begin = left < 0 ? 0 : first + offset - left;
        const int end = right < 0 ? num_keys : last + offset + right;
        return {begin > 0 ? begin : 0, end < num_keys ? end : num_keys};
    }

    // The range of all queries that see the keys from first, exclusive of last.
    __device__ Range queries_of(int first, int last) const {
        if (last > num_keys) last = num_keys;
        const int begin = right < 0 ? 0 : first - offset - right;
        const int end = left < 0 ? num_queries : last - offset + left;
        return {begin > 0 ? begin : 0, end < num_queries ? end : num_queries};
    }
};

}  // namespace torchstone::cuda
