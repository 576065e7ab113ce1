// FlashAttention-2 on a GPU: attention that stores the scores of one tile at a time.
//
// In forward, a block has a tile of queries and iterates over the tiles of keys that its queries
// see. For each query it keeps the running maximum m of the scores, the sum l of exp(score - m),
// and the sum o of the values with these weights; when the maximum grows, both are rescaled:
//
//     m' = max(m, scores)   l' = l exp(m - m') + sum of exp(scores - m')
//                           o' = o exp(m - m') + exp(scores - m') values
//
// The result is o / l, and backward recomputes the probabilities from lse = m + log(l): with
// S = Q K^T scale, P = exp(S - lse) and the gradient dO of the result,
//
//     dV = P^T dO   dP = dO V^T   dS = P (dP - delta)   dK = dS^T Q scale   dQ = dS K scale
//
// where delta of a query is the sum of dO times the result. A block with a tile of keys computes dK
// and dV from all queries that see it; another block, with a tile of queries, computes dQ from all
// keys that they see. S and dP are thus computed twice, but there are no atomic operations, and the
// bits are deterministic.
//
// Source: Dao, "FlashAttention-2", 2023, algorithms 1 and 2.
#pragma once

#include "attention_problem.cuh"
#include "attention_tiles.cuh"

namespace torchstone::cuda {

// The assignment of a block: a tile of positions, of a head, of a sequence. Adjacent blocks have
// tiles of the same head, and find its keys in the cache.
struct Share {
    int first, head;
    Sequence sequence;

    __device__ Share(const Attention& all, int64_t num_heads, int64_t most, int height) {
        const unsigned tiles = static_cast<unsigned>((most + height - 1) / height);
        const unsigned heads = static_cast<unsigned>(num_heads);
        first = static_cast<int>(blockIdx.x % tiles) * height;
        head = static_cast<int>(blockIdx.x / tiles % heads);
        sequence = sequence_of(all, static_cast<int>(blockIdx.x / tiles / heads));
    }
};

// The tensors of one head of one sequence.
template <typename T>
struct Head {
    using Number = Compute<T>;
    const Attention& all;
    const Sequence& sequence;
    int head, key_head;

    __device__ Head(const Attention& of_all, const Sequence& of_sequence, int number)
        : all(of_all),
          sequence(of_sequence),
          head(number),
          key_head(number / static_cast<int>(of_all.num_heads / of_all.num_key_heads)) {}

    // For query, out, and their gradients.
    __device__ T* queries(const View& view, int first) const {
        return view.at<T>(sequence.batch, head, sequence.first_query + first);
    }
    // For key, value, and their gradients.
    __device__ T* keys(const View& view, int first) const {
        return view.at<T>(sequence.batch, key_head, sequence.first_key + first);
    }
    // For lse and delta.
    __device__ Number* statistics(void* data) const {
        return static_cast<Number*>(data) +
               (sequence.batch * all.num_heads + head) * all.num_queries + sequence.first_query;
    }
};

// The probability of a score; for a fully masked query both are minus infinity.
template <typename Number>
__device__ Number probability(Number score, Number lse) {
    return exp(score - (lse == -INFINITY ? Number{0} : lse));
}

template <typename Sizes>
constexpr int forward_bytes() {
    return (Sizes::row_tile + 2 * Sizes::column_tile + Sizes::weight_tile) *
           static_cast<int>(sizeof(typename Sizes::Number));
}

template <typename T, int head_dim>
__global__ void __launch_bounds__(Sizes<Compute<T>, head_dim>::num_threads)
    flash_attention_kernel(const __grid_constant__ Attention all) {
    using Number = Compute<T>;
    using S = Sizes<Number, head_dim>;
    extern __shared__ __align__(16) unsigned char memory[];
    Number* const query = reinterpret_cast<Number*>(memory);
    Number* const key = query + S::row_tile;
    Number* const value = key + S::column_tile;
    Number* const weights = value + S::column_tile;
    const Share own(all, all.num_heads, all.max_q, S::num_rows);
    if (own.first >= own.sequence.num_queries) return;
    const Mask<Number> mask(all, own.sequence, own.head);
    const Head<T> head(all, own.sequence, own.head);
    const int length = static_cast<int>(all.head_dim);
    const int height = mask.num_queries - own.first;
    load_tile<S, S::num_rows>(query, head.queries(all.query, own.first), all.query.place, height,
                              length, all.is_aligned);
    Number largest[S::rows_of_thread], totals[S::rows_of_thread];
    for (int i = 0; i < S::rows_of_thread; i++) {
        largest[i] = -INFINITY;
        totals[i] = 0;
    }
    Sums<S> sums{};
    const Range keys = mask.keys_of(own.first, own.first + S::num_rows);
    for (int first = keys.begin; first < keys.end; first += S::num_columns) {
        const int width = mask.num_keys - first;
        // Waits until all warps have used the last tile.
        __syncthreads();
        load_tile<S, S::num_columns>(key, head.keys(all.key, first), all.key.place, width, length,
                                     all.is_aligned);
        load_tile<S, S::num_columns>(value, head.keys(all.value, first), all.value.place, width,
                                     length, all.is_aligned);
        __syncthreads();
        Scores<S> scores;
        multiply<S>(query, key, length, scores);
#pragma unroll
        for (int i = 0; i < S::rows_of_thread; i++) {
            const int q = own.first + S::first_row() + i;
            Number larger = largest[i];
            for (int j = 0; j < S::columns_of_thread; j++) {
                const int k = first + S::column(j);
                scores[i][j] = mask.sees(q, k) ? mask.score(scores[i][j], q, k) : -INFINITY;
                larger = fmax(larger, scores[i][j]);
            }
            larger = max_over_row<S>(larger);
            // Before a query has seen a key, both are minus infinity, whose difference is NaN.
            const Number shift = larger > -INFINITY ? larger : Number{0};
            const Number shrink = exp(largest[i] - shift);
            largest[i] = larger;
            totals[i] *= shrink;
            sums.scale(i, shrink);
            for (int j = 0; j < S::columns_of_thread; j++) {
                const Number weight = exp(scores[i][j] - shift);
                // Dropout affects the weights, but not their normalization.
                totals[i] += weight;
                weights[S::weights_of(i) + S::column(j)] =
                    weight * mask.factor(q, first + S::column(j));
            }
        }
        // The weights of a row belong to one warp.
        __syncwarp();
        sums.add_product(weights, value);
    }
    Number* const lse = head.statistics(all.lse);
#pragma unroll
    for (int i = 0; i < S::rows_of_thread; i++) {
        const int row = S::first_row() + i;
        const Number total = sum_over_row<S>(totals[i]);
        sums.scale(i, total == 0 ? Number{0} : 1 / total);
        if (row < height && S::thread_column() == 0) {
            lse[own.first + row] = total == 0 ? -INFINITY : largest[i] + log(total);
        }
    }
    sums.store(head.queries(all.out, own.first), all.out.place, height, length, all.is_aligned);
}

// Delta: one warp per query.
template <typename T>
__global__ void attention_delta_kernel(const __grid_constant__ Attention all) {
    using Number = Compute<T>;
    const int lane = threadIdx.x % warp_size;
    const int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
    if (row >= all.num_batches * all.num_heads * all.num_queries) return;
    const int64_t place = row % all.num_queries, head = row / all.num_queries % all.num_heads;
    const int64_t batch = row / all.num_queries / all.num_heads;
    const T* const grad = all.grad.at<T>(batch, head, place);
    const T* const out = all.out.at<T>(batch, head, place);
    Number sum = 0;
    for (int64_t d = lane; d < all.head_dim; d += warp_size) {
        sum += widen(grad[d]) * widen(out[d]);
    }
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(full_warp, sum, offset);
    }
    if (lane == 0) static_cast<Number*>(all.delta)[row] = sum;
}

template <typename Sizes>
constexpr int backward_bytes() {
    return (2 * Sizes::row_tile + 2 * Sizes::column_tile + Sizes::weight_tile) *
           static_cast<int>(sizeof(typename Sizes::Number));
}

// The gradients of a tile of keys and values. The rows of all products are keys, the columns are
// queries of every head that shares the keys.
template <typename T, int head_dim>
__global__ void __launch_bounds__(Sizes<Compute<T>, head_dim>::num_threads)
    attention_key_gradient_kernel(const __grid_constant__ Attention all) {
    using Number = Compute<T>;
    using S = Sizes<Number, head_dim>;
    extern __shared__ __align__(16) unsigned char memory[];
    Number* const key = reinterpret_cast<Number*>(memory);
    Number* const value = key + S::row_tile;
    Number* const query = value + S::row_tile;
    Number* const grad = query + S::column_tile;
    Number* const weights = grad + S::column_tile;
    const Share own(all, all.num_key_heads, all.max_k, S::num_rows);
    if (own.first >= own.sequence.num_keys) return;
    const int group = static_cast<int>(all.num_heads / all.num_key_heads);
    const Head<T> any(all, own.sequence, own.head * group);
    const int length = static_cast<int>(all.head_dim);
    const int height = own.sequence.num_keys - own.first;
    load_tile<S, S::num_rows>(key, any.keys(all.key, own.first), all.key.place, height, length,
                              all.is_aligned);
    load_tile<S, S::num_rows>(value, any.keys(all.value, own.first), all.value.place, height,
                              length, all.is_aligned);
    Sums<S> of_key{}, of_value{};
    for (int number = own.head * group; number < (own.head + 1) * group; number++) {
        const Mask<Number> mask(all, own.sequence, number);
        const Head<T> head(all, own.sequence, number);
        const Number* const lse = head.statistics(all.lse);
        const Number* const delta = head.statistics(all.delta);
        const Range queries = mask.queries_of(own.first, own.first + S::num_rows);
        for (int first = queries.begin; first < queries.end; first += S::num_columns) {
            const int width = mask.num_queries - first;
            // Waits until all warps have used the last tile.
            __syncthreads();
            load_tile<S, S::num_columns>(query, head.queries(all.query, first), all.query.place,
                                         width, length, all.is_aligned);
            load_tile<S, S::num_columns>(grad, head.queries(all.grad, first), all.grad.place,
                                         width, length, all.is_aligned);
            __syncthreads();
            Scores<S> scores, of_weights;
            multiply<S>(key, query, length, scores);
            multiply<S>(value, grad, length, of_weights);
#pragma unroll
            for (int j = 0; j < S::columns_of_thread; j++) {
                const int q = first + S::column(j);
#pragma unroll
                for (int i = 0; i < S::rows_of_thread; i++) {
                    const int k = own.first + S::first_row() + i;
                    Number weight = 0, of_score = 0;
                    if (mask.sees(q, k)) {
                        const Number p = probability(mask.score(scores[i][j], q, k), lse[q]);
                        const Number factor = mask.factor(q, k);
                        weight = p * factor;
                        of_score = p * (of_weights[i][j] * factor - delta[q]) * mask.scale;
                    }
                    weights[S::weights_of(i) + S::column(j)] = weight;
                    scores[i][j] = of_score;
                }
            }
            // The weights of a row belong to one warp, before and after they are overwritten.
            __syncwarp();
            of_value.add_product(weights, grad);
            __syncwarp();
#pragma unroll
            for (int i = 0; i < S::rows_of_thread; i++) {
#pragma unroll
                for (int j = 0; j < S::columns_of_thread; j++) {
                    weights[S::weights_of(i) + S::column(j)] = scores[i][j];
                }
            }
            __syncwarp();
            of_key.add_product(weights, query);
        }
    }
    of_key.store(any.keys(all.grad_key, own.first), all.grad_key.place, height, length,
                 all.is_aligned);
    of_value.store(any.keys(all.grad_value, own.first), all.grad_value.place, height, length,
                   all.is_aligned);
}

// The gradients of a tile of queries.
template <typename T, int head_dim>
__global__ void __launch_bounds__(Sizes<Compute<T>, head_dim>::num_threads)
    attention_query_gradient_kernel(const __grid_constant__ Attention all) {
    using Number = Compute<T>;
    using S = Sizes<Number, head_dim>;
    extern __shared__ __align__(16) unsigned char memory[];
    Number* const query = reinterpret_cast<Number*>(memory);
    Number* const grad = query + S::row_tile;
    Number* const key = grad + S::row_tile;
    Number* const value = key + S::column_tile;
    Number* const weights = value + S::column_tile;
    const Share own(all, all.num_heads, all.max_q, S::num_rows);
    if (own.first >= own.sequence.num_queries) return;
    const Mask<Number> mask(all, own.sequence, own.head);
    const Head<T> head(all, own.sequence, own.head);
    const int length = static_cast<int>(all.head_dim);
    const int height = mask.num_queries - own.first;
    load_tile<S, S::num_rows>(query, head.queries(all.query, own.first), all.query.place, height,
                              length, all.is_aligned);
    load_tile<S, S::num_rows>(grad, head.queries(all.grad, own.first), all.grad.place, height,
                              length, all.is_aligned);
    Number lse[S::rows_of_thread], delta[S::rows_of_thread];
    for (int i = 0; i < S::rows_of_thread; i++) {
        const int row = S::first_row() + i;
        lse[i] = row < height ? head.statistics(all.lse)[own.first + row] : Number{0};
        delta[i] = row < height ? head.statistics(all.delta)[own.first + row] : Number{0};
    }
    Sums<S> of_query{};
    const Range keys = mask.keys_of(own.first, own.first + S::num_rows);
    for (int first = keys.begin; first < keys.end; first += S::num_columns) {
        const int width = mask.num_keys - first;
        // Waits until all warps have used the last tile.
        __syncthreads();
        load_tile<S, S::num_columns>(key, head.keys(all.key, first), all.key.place, width, length,
                                     all.is_aligned);
        load_tile<S, S::num_columns>(value, head.keys(all.value, first), all.value.place, width,
                                     length, all.is_aligned);
        __syncthreads();
        Scores<S> scores, of_weights;
        multiply<S>(query, key, length, scores);
        multiply<S>(grad, value, length, of_weights);
#pragma unroll
        for (int i = 0; i < S::rows_of_thread; i++) {
            const int q = own.first + S::first_row() + i;
#pragma unroll
            for (int j = 0; j < S::columns_of_thread; j++) {
                const int k = first + S::column(j);
                Number of_score = 0;
                if (mask.sees(q, k)) {
                    const Number p = probability(mask.score(scores[i][j], q, k), lse[i]);
                    of_score = p * (of_weights[i][j] * mask.factor(q, k) - delta[i]) * mask.scale;
                }
                weights[S::weights_of(i) + S::column(j)] = of_score;
            }
        }
        // The weights of a row belong to one warp.
        __syncwarp();
        of_query.add_product(weights, key);
    }
    of_query.store(head.queries(all.grad_query, own.first), all.grad_query.place, height, length,
                   all.is_aligned);
}

}  // namespace torchstone::cuda
