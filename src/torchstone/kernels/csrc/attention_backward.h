// Backward of tiled attention: the scores are recomputed, and converted to probabilities with one
// exponential, because the forward pass stores the logsumexp of each row.
//
// Source: Dao, "FlashAttention-2", 2023, algorithm 2.
#pragma once

#include "attention.h"

namespace torchstone::KERNELS_ISA {

// A matrix in rows, and packed as the right operand of a product.
template <typename C>
struct Packed {
    C* rows;
    C* stacked;
    const C* right;  // `stacked`, or the rows themselves if a cell is one element

    Packed(Arena& arena, int64_t num_rows, int64_t width)
        : rows(arena.take<C>(num_rows * width / numbers_in<C>)),
          stacked(arena.take<C>(numbers_in<C> == 1 ? 0 : num_rows * width / numbers_in<C>)),
          right(nullptr) {}

    template <typename T>
    void fill(const T* from, int64_t step, int64_t count, int64_t row_width, int64_t num_rows,
              int64_t width) {
        pack_rows(from, step, count, row_width, rows, num_rows, width);
        right = stack(rows, stacked, num_rows, width, width);
    }
};

template <typename T>
struct BackwardMemory {
    using Number = Compute<T>;
    using C = Cell<T>;
    static constexpr int64_t tile = tile_rows * tile_columns;
    int64_t width, num_rows, num_columns;
    Packed<C> queries, grads, keys, values;
    C *columns_of_keys, *columns_of_values;
    Packed<C> weights, of_scores;
    Number *of_queries, *of_keys, *of_values, *sums, *lse, *scores, *of_weights;

    BackwardMemory(Arena& arena, const Attention& it)
        : width(round_up(it.head_dim, num_lanes<T> > 2 ? num_lanes<T> : 2)),
          num_rows(round_up(it.longest_q, tile_rows)),
          num_columns(round_up(it.longest_k, tile_columns)),
          queries(arena, num_rows, width), grads(arena, num_rows, width),
          keys(arena, tile_columns, width), values(arena, tile_columns, width),
          columns_of_keys(arena.take<C>(tile_columns * width / numbers_in<C>)),
          columns_of_values(arena.take<C>(tile_columns * width / numbers_in<C>)),
          weights(arena, tile_rows, tile_columns), of_scores(arena, tile_rows, tile_columns),
          of_queries(arena.take<Number>(num_rows * width)),
          of_keys(arena.take<Number>(num_columns * width)),
          of_values(arena.take<Number>(num_columns * width)),
          sums(arena.take<Number>(num_rows)), lse(arena.take<Number>(num_rows)),
          scores(arena.take<Number>(tile)), of_weights(arena.take<Number>(tile)) {}
};

// All query heads of a sequence that share a key head.
template <typename T>
class BackwardTask {
    using Number = Compute<T>;
    using C = Cell<T>;
    static constexpr int N = num_lanes<T>;

public:
    BackwardTask(const AttentionBackward& back, BackwardMemory<T>& memory, const Sequence& sequence,
                 int64_t key_head)
        : back_(back), it_(back.forward), memory_(memory), sequence_(sequence),
          key_head_(key_head), cells_(memory.width / numbers_in<C>) {}

    void run() {
        clear(memory_.of_keys, sequence_.num_keys);
        clear(memory_.of_values, sequence_.num_keys);
        const int64_t group = it_.num_heads / it_.num_key_heads;
        for (int64_t head = key_head_ * group; head < (key_head_ + 1) * group; head++) {
            run_head(head);
        }
        give(back_.grad_key, key_head_, sequence_.first_key, memory_.of_keys, sequence_.num_keys,
             static_cast<Number>(it_.scale));
        give(back_.grad_value, key_head_, sequence_.first_key, memory_.of_values,
             sequence_.num_keys, 1);
    }

private:
    void clear(Number* rows, int64_t count) const {
        __builtin_memset(rows, 0, count * memory_.width * sizeof(Number));
    }

    void give(const Heads& heads, int64_t head, int64_t first, const Number* rows, int64_t count,
              Number factor) const {
        T* to = sequence_.rows<T>(heads, head, first);
        for (int64_t r = 0; r < count; r++, to += heads.row_step, rows += memory_.width) {
            map_row<false>(to, it_.head_dim,
                           [&](int64_t i, auto) { return load(rows + i) * factor; });
        }
    }

    void run_head(int64_t head) {
        const View<Number> view(it_, sequence_, head);
        prepare_head(head);
        for (int64_t key = 0; key < sequence_.num_keys; key += tile_columns) {
            pack_keys(key);
            for (int64_t row = 0; row < sequence_.num_queries; row += tile_rows) {
                run_tile(view, row, key);
            }
        }
        give(back_.grad_query, head, sequence_.first_query, memory_.of_queries,
             sequence_.num_queries, static_cast<Number>(it_.scale));
    }

    // Packs what is constant over tiles. For each row: the subtrahend of its scores, and sum of
    // grad * out, which equals the sum over keys of p * dp.
    void prepare_head(int64_t head) {
        const int64_t count = sequence_.num_queries;
        const auto fill = [&](Packed<C>& packed, const Heads& heads) {
            packed.fill(sequence_.rows<const T>(heads, head, sequence_.first_query),
                        heads.row_step, count, it_.head_dim, round_up(count, tile_rows),
                        memory_.width);
        };
        fill(memory_.queries, it_.query);
        fill(memory_.grads, back_.grad);
        clear(memory_.of_queries, round_up(count, tile_rows));
        const T* out = sequence_.rows<const T>(it_.out, head, sequence_.first_query);
        const T* grad = sequence_.rows<const T>(back_.grad, head, sequence_.first_query);
        const Number* const lse = static_cast<const Number*>(it_.lse) +
                                  (sequence_.batch * it_.num_heads + head) * it_.num_queries +
                                  sequence_.first_query;
        for (int64_t r = 0; r < count; r++) {
            Vec<Number> products = {};
            walk<T>(it_.head_dim, [&](int64_t i, auto load, auto) {
                products += load(out + i) * load(grad + i);
            });
            memory_.sums[r] = sum(products);
            // A fully masked row must not subtract minus infinity from itself.
            const bool sees = lse[r] != -__builtin_inff();
            memory_.lse[r] = sees ? lse[r] * static_cast<Number>(log2_e) : 0;
            out += it_.out.row_step;
            grad += back_.grad.row_step;
        }
    }

    void pack_keys(int64_t first) {
        const int64_t left = sequence_.num_keys - first;
        const auto fill = [&](Packed<C>& packed, const Heads& heads, C* columns) {
            packed.fill(sequence_.rows<const T>(heads, key_head_, sequence_.first_key + first),
                        heads.row_step, left < tile_columns ? left : tile_columns, it_.head_dim,
                        tile_columns, memory_.width);
            transpose(packed.rows, tile_columns, cells_, columns, tile_columns);
        };
        fill(memory_.keys, it_.key, memory_.columns_of_keys);
        fill(memory_.values, it_.value, memory_.columns_of_values);
    }

    void run_tile(const View<Number>& view, int64_t row, int64_t key) {
        const int64_t left = sequence_.num_queries - row;
        const int64_t count = left < tile_rows ? left : tile_rows;
        const int64_t end = view.end(row + count - 1) - key;
        if (end <= 0 || view.begin(row) >= key + tile_columns) {
            return;
        }
        // Columns become rows of the following products.
        const int64_t columns = round_up(end < tile_columns ? end : tile_columns, 3 * N);
        const int64_t rows = round_up(count, 2 * row_group);
        const auto rows_of = [&](const Packed<C>& packed) {
            return Cells<C>{packed.rows + row * cells_, cells_, 1};
        };
        multiply<false>(rows_of(memory_.queries), memory_.columns_of_keys, tile_columns,
                        memory_.scores, tile_columns, rows, columns, cells_);
        multiply<false>(rows_of(memory_.grads), memory_.columns_of_values, tile_columns,
                        memory_.of_weights, tile_columns, rows, columns, cells_);
        differentiate(view, row, count, rows, key, columns);
        add_products(row, rows, key, columns);
    }

    // Converts scores and gradients of weights to weights and gradients of scores.
    void differentiate(const View<Number>& view, int64_t row, int64_t count, int64_t rows,
                       int64_t key, int64_t columns) {
        for (int64_t r = 0; r < rows; r++) {
            Number* const scores = memory_.scores + r * tile_columns;
            Number* const grads = memory_.of_weights + r * tile_columns;
            if (r >= count) {
                __builtin_memset(scores, 0, columns * sizeof(Number));
                __builtin_memset(grads, 0, columns * sizeof(Number));
                continue;
            }
            const Number factor = view.prepare(scores, row + r, key, columns);
            if (it_.drops) {
                view.drop(grads, row + r, key, columns);
            }
            const Number lse = memory_.lse[row + r], along = memory_.sums[row + r];
            for (int64_t c = 0; c < columns; c += N) {
                const auto weight = power_of_two(load(scores + c) * factor - lse);
                store(scores + c, weight);
                store(grads + c, weight * (load(grads + c) - along));
            }
            if (it_.drops) {
                view.drop(scores, row + r, key, columns);
            }
        }
    }

    void add_products(int64_t row, int64_t rows, int64_t key, int64_t columns) {
        const int64_t width = memory_.width, per = numbers_in<C>;
        const C *weights, *grads, *grad_rows;
        if constexpr (std::is_same_v<C, Number>) {
            weights = memory_.scores;
            grads = grad_rows = memory_.of_weights;
        } else {
            weights = cells_of(memory_.scores, memory_.weights, rows, columns);
            grads = cells_of(memory_.of_weights, memory_.of_scores, rows, columns);
            grad_rows = memory_.of_scores.rows;
        }
        // Read by column, because these two products use the transpose.
        multiply<true>(Cells<C>{weights, 1, tile_columns}, memory_.grads.right + row * cells_,
                       width, memory_.of_values + key * width, width, columns, width, rows / per);
        multiply<true>(Cells<C>{grads, 1, tile_columns}, memory_.queries.right + row * cells_,
                       width, memory_.of_keys + key * width, width, columns, width, rows / per);
        multiply<true>(Cells<C>{grad_rows, tile_columns / per, 1}, memory_.keys.right, width,
                       memory_.of_queries + row * width, width, rows, width, columns / per);
    }

    static const C* cells_of(const Number* from, Packed<C>& to, int64_t rows, int64_t columns) {
        auto* const out = reinterpret_cast<T*>(to.rows);
        for (int64_t r = 0; r < rows * tile_columns; r += tile_columns) {
            for (int64_t c = 0; c < columns; c += N) {
                store(out + r + c, load(from + r + c));
            }
        }
        return stack(to.rows, to.stacked, rows, tile_columns, columns);
    }

    const AttentionBackward& back_;
    const Attention& it_;
    BackwardMemory<T>& memory_;
    const Sequence& sequence_;
    int64_t key_head_, cells_;
};

template <typename T>
void attention_backward_range(const AttentionBackward& it, int64_t first, int64_t last,
                              void* memory) {
    Arena arena(memory);
    BackwardMemory<T> parts(arena, it.forward);
    for (int64_t task = first; task < last; task++) {
        const Sequence sequence(it.forward, task / it.forward.num_key_heads);
        BackwardTask<T>(it, parts, sequence, task % it.forward.num_key_heads).run();
    }
}

}  // namespace torchstone::KERNELS_ISA
