// Tiled attention: only the scores of one tile are in memory at a time.
//
// Source: Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning",
// 2023, algorithm 1.
#pragma once

#include "functions.h"
#include "kernels.h"
#include "random.h"
#include "rows.h"
#include "tiles.h"

namespace torchstone::KERNELS_ISA {

// Numbers of queries and keys per tile, and of query tiles that share the packed keys.
constexpr int64_t tile_rows = 48, tile_columns = 192, tiles_of_task = 8;
static_assert(tile_rows % (2 * row_group) == 0 && tile_columns % row_group == 0);

constexpr double log2_e = 1.4426950408889634;

inline int64_t round_up(int64_t count, int64_t step) { return (count + step - 1) / step * step; }

// Bump allocator within a task's memory, aligned to 64 bytes; without memory it only computes the
// required size.
class Arena {
public:
    explicit Arena(void* memory) : memory_(static_cast<char*>(memory)) {}

    template <typename Number>
    Number* take(int64_t count) {
        char* const from = memory_ == nullptr ? nullptr : memory_ + used_;
        used_ += round_up(count * sizeof(Number), 64);
        return reinterpret_cast<Number*>(from);
    }

    int64_t used() const { return used_; }

private:
    char* memory_;
    int64_t used_ = 0;
};

// One sequence of the batch: offsets and numbers of its queries and keys.
struct Sequence {
    int64_t number, batch, first_query, num_queries, first_key, num_keys;

    Sequence(const Attention& it, int64_t number) : number(number) {
        const bool is_packed = it.starts_q != nullptr;
        batch = is_packed ? 0 : number;
        first_query = is_packed ? it.starts_q[number] : 0;
        num_queries = is_packed ? it.starts_q[number + 1] - first_query : it.num_queries;
        first_key = is_packed ? it.starts_k[number] : 0;
        num_keys = is_packed ? it.starts_k[number + 1] - first_key : it.num_keys;
    }

    template <typename T>
    T* rows(const Heads& heads, int64_t head, int64_t first) const {
        return static_cast<T*>(heads.data) + batch * heads.batch_step + head * heads.head_step +
               first * heads.row_step;
    }
};

// Masking, scaling and dropout of a sequence's scores.
template <typename Number>
class View {
public:
    View(const Attention& it, const Sequence& sequence, int64_t head)
        : it_(it), num_keys_(sequence.num_keys),
          // The last query is aligned with the last key.
          offset_(sequence.num_keys - sequence.num_queries),
          padding_(it.key_is_padding == nullptr ? nullptr
                                                : it.key_is_padding + sequence.batch * it.num_keys),
          slope_(it.slopes == nullptr ? 0 : static_cast<const Number*>(it.slopes)[head]),
          scale_(static_cast<Number>(it.scale * log2_e)) {
        slope_ *= static_cast<Number>(log2_e);
        const auto number = static_cast<uint32_t>(sequence.number * it.num_heads + head);
        key_ = philox(number, static_cast<uint32_t>(it.seed), static_cast<uint32_t>(it.seed >> 32));
        const double threshold = it.dropout * 0x1p32 + 0.5;
        threshold_ = threshold < 0x1p32 - 1 ? static_cast<uint32_t>(threshold) : 0xFFFFFFFFu;
        kept_ = static_cast<Number>(1 / (1 - it.dropout));
    }

    // The range of keys visible to query i by position: from `begin`, exclusive of `end`.
    int64_t begin(int64_t i) const {
        const int64_t first = i + offset_ - it_.left;
        return it_.left < 0 || first < 0 ? 0 : first < num_keys_ ? first : num_keys_;
    }
    int64_t end(int64_t i) const {
        const int64_t last = i + offset_ + it_.right + 1;
        return it_.right < 0 || last > num_keys_ ? num_keys_ : last < 0 ? 0 : last;
    }

    // Converts a row of products to exponents of base 2, up to the positive factor that is
    // returned; minus infinity for masked keys.
    Number prepare(Number* scores, int64_t query, int64_t first_key, int64_t columns) const {
        using V = Vec<Number>;
        constexpr int N = num_lanes<Number>;
        const int64_t first = begin(query) - first_key, last = end(query) - first_key;
        const bool is_whole = first <= 0 && last >= columns && padding_ == nullptr;
        if (is_whole && slope_ == 0 && scale_ > 0) {
            return scale_;
        }
        V place;
        for (int lane = 0; lane < N; lane++) {
            place[lane] = static_cast<Number>(lane);
        }
        const V lowest = all<V>(-__builtin_inff());
        const auto low = static_cast<Number>(first), high = static_cast<Number>(last);
        const auto own = static_cast<Number>(query + offset_ - first_key);
        for (int64_t c = 0; c < columns; c += N, place += static_cast<Number>(N)) {
            const V distance = place - own;
            V score = load(scores + c) * scale_ - slope_ * larger(distance, -distance);
            score = select(place < low, lowest, score);
            score = select(place < high, score, lowest);
            if (padding_ != nullptr) {
                for (int lane = 0; lane < N; lane++) {
                    const int64_t key = first_key + c + lane;
                    score[lane] = key < num_keys_ && padding_[key] ? lowest[lane] : score[lane];
                }
            }
            store(scores + c, score);
        }
        return 1;
    }

    // Applies dropout to a row: zeroes the dropped elements, and scales the kept ones.
    void drop(Number* row, int64_t query, int64_t first_key, int64_t columns) const {
        uint32_t words[tile_columns];
        philox_row(static_cast<uint32_t>(query), static_cast<uint32_t>(first_key), key_, words,
                   columns);
        for (int64_t c = 0; c < columns; c++) {
            row[c] = words[c] < threshold_ ? 0 : row[c] * kept_;
        }
    }

private:
    const Attention& it_;
    int64_t num_keys_, offset_;
    const bool* padding_;
    Number slope_, scale_, kept_;
    uint32_t key_, threshold_;
};

// Workspace for the tasks of a range.
template <typename T>
struct ForwardMemory {
    using Number = Compute<T>;
    using C = Cell<T>;
    int64_t width;  // padded row size of a head, in elements
    C *queries, *keys, *columns_of_keys, *values, *values_stacked, *weights;
    Number *scores, *out, *largest, *totals;

    ForwardMemory(Arena& arena, int64_t head_dim)
        : width(round_up(head_dim, num_lanes<T> > 2 ? num_lanes<T> : 2)) {
        constexpr int64_t rows = tile_rows * tiles_of_task;
        const int64_t cells = width / numbers_in<C>;
        queries = arena.take<C>(rows * cells);
        keys = arena.take<C>(tile_columns * cells);
        columns_of_keys = arena.take<C>(tile_columns * cells);
        values = arena.take<C>(tile_columns * cells);
        values_stacked = arena.take<C>(tile_columns * cells);
        scores = arena.take<Number>(tile_rows * tile_columns);
        weights = arena.take<C>(tile_rows * tile_columns / numbers_in<C>);
        out = arena.take<Number>(rows * width);
        largest = arena.take<Number>(rows);
        totals = arena.take<Number>(rows);
    }
};

// Online softmax step of a row: replaces the next scores, times a positive factor, by exponentials,
// adds them to the total, and rescales previous results if the maximum has grown.
template <typename Number>
inline void stream_row(Number* scores, int64_t columns, Number factor, Number& largest,
                       Number& total, Number* out, int64_t width) {
    using V = Vec<Number>;
    constexpr int N = num_lanes<Number>;
    V best = load(scores);
    for (int64_t c = N; c < columns; c += N) {
        best = larger(best, load(scores + c));
    }
    Number now = largest_lane(best) * factor;
    now = now < largest ? largest : now;
    // A row without a visible key so far has no maximum to subtract.
    const Number base = now == -__builtin_inff() ? 0 : now;
    V sums = {};
    for (int64_t c = 0; c < columns; c += N) {
        const V power = power_of_two(load(scores + c) * factor - base);
        sums += power;
        store(scores + c, power);
    }
    if (now != largest) {
        const Number less = power_of_two(all<V>(largest - base))[0];
        total *= less;
        for (int64_t i = 0; i < width; i += N) {
            store(out + i, load(out + i) * less);
        }
    }
    largest = now;
    total += sum(sums);
}

// One task: for each tile of keys, all of the task's tiles of queries.
template <typename T>
class ForwardTask {
    using Number = Compute<T>;
    using C = Cell<T>;
    static constexpr int N = num_lanes<T>;
    // A multiple of a vector of scores, of a transposed square of keys, and of a pair of values.
    static constexpr int64_t side = num_bytes / sizeof(C);
    static constexpr int64_t column_step = N > side ? N : side > 2 ? side : 2;
    static_assert(tile_columns % column_step == 0);

public:
    ForwardTask(const Attention& it, const ForwardMemory<T>& memory, const Sequence& sequence,
                int64_t head, int64_t first)
        : it_(it), memory_(memory), sequence_(sequence), view_(it, sequence, head), head_(head),
          first_(first) {
        constexpr int64_t most = tile_rows * tiles_of_task;
        const int64_t left = sequence.num_queries - first;
        rows_ = left < most ? left : most;
        all_rows_ = round_up(rows_, 2 * row_group);
    }

    void run() {
        const int64_t place = sequence_.first_query + first_;
        pack_rows(sequence_.rows<const T>(it_.query, head_, place), it_.query.row_step, rows_,
                  it_.head_dim, memory_.queries, all_rows_, memory_.width);
        for (int64_t i = 0; i < all_rows_ * memory_.width; i += N) {
            store(memory_.out + i, Vec<Number>{});
        }
        for (int64_t r = 0; r < all_rows_; r++) {
            memory_.largest[r] = -__builtin_inff();
            memory_.totals[r] = 0;
        }
        const int64_t end = view_.end(first_ + rows_ - 1);
        for (int64_t key = view_.begin(first_); key < end; key += tile_columns) {
            const int64_t left = end - key;
            pack_keys(key, left < tile_columns ? left : tile_columns);
            for (int64_t row = 0; row < rows_; row += tile_rows) {
                run_tile(row, key);
            }
        }
        finish();
    }

private:
    void pack_keys(int64_t first, int64_t count) {
        const int64_t head = head_ / (it_.num_heads / it_.num_key_heads);
        const int64_t place = sequence_.first_key + first;
        const int64_t cells = memory_.width / numbers_in<C>;
        // For a short sequence most of the tile is never read.
        const int64_t columns = round_up(count, column_step);
        pack_rows(sequence_.rows<const T>(it_.key, head, place), it_.key.row_step, count,
                  it_.head_dim, memory_.keys, columns, memory_.width);
        transpose(memory_.keys, columns, cells, memory_.columns_of_keys, tile_columns);
        pack_rows(sequence_.rows<const T>(it_.value, head, place), it_.value.row_step, count,
                  it_.head_dim, memory_.values, columns, memory_.width);
        values_ = stack(memory_.values, memory_.values_stacked, columns, memory_.width,
                        memory_.width);
    }

    void run_tile(int64_t row, int64_t key) {
        const int64_t last_row = row + tile_rows < rows_ ? row + tile_rows : rows_;
        const int64_t end = view_.end(first_ + last_row - 1) - key;
        if (end <= 0 || view_.begin(first_ + row) >= key + tile_columns) {
            return;
        }
        const int64_t columns = round_up(end < tile_columns ? end : tile_columns, column_step);
        const int64_t rows = round_up(last_row - row, row_group);
        const int64_t cells = memory_.width / numbers_in<C>;
        multiply<false>(Cells<C>{memory_.queries + row * cells, cells, 1}, memory_.columns_of_keys,
                        tile_columns, memory_.scores, tile_columns, rows, columns, cells);
        for (int64_t r = row; r < last_row; r++) {
            Number* const scores = memory_.scores + (r - row) * tile_columns;
            const int64_t query = first_ + r;
            const Number factor = view_.prepare(scores, query, key, columns);
            stream_row(scores, columns, factor, memory_.largest[r], memory_.totals[r],
                       memory_.out + r * memory_.width, memory_.width);
            if (it_.drops) {
                view_.drop(scores, query, key, columns);
            }
        }
        const int64_t depth = columns / numbers_in<C>, step_of_rows = tile_columns / numbers_in<C>;
        const C* weights = weigh(rows, columns);
        multiply<true>(Cells<C>{weights, step_of_rows, 1}, values_, memory_.width,
                       memory_.out + row * memory_.width, memory_.width, rows, memory_.width,
                       depth);
    }

    // The exponentials, converted to cells.
    const C* weigh(int64_t rows, int64_t columns) {
        if constexpr (std::is_same_v<C, Number>) {
            return memory_.scores;
        } else {
            for (int64_t r = 0; r < rows; r++) {
                auto* const to = reinterpret_cast<T*>(memory_.weights) + r * tile_columns;
                for (int64_t c = 0; c < columns; c += N) {
                    store(to + c, load(memory_.scores + r * tile_columns + c));
                }
            }
            return memory_.weights;
        }
    }

    void finish() {
        T* to = sequence_.rows<T>(it_.out, head_, sequence_.first_query + first_);
        Number* const lse = static_cast<Number*>(it_.lse) +
                            (sequence_.batch * it_.num_heads + head_) * it_.num_queries +
                            sequence_.first_query + first_;
        for (int64_t r = 0; r < rows_; r++, to += it_.out.row_step) {
            const Number* const out = memory_.out + r * memory_.width;
            const Number total = memory_.totals[r];
            const Number factor = total == 0 ? 0 : 1 / total;
            map_row<false>(to, it_.head_dim,
                           [&](int64_t i, auto) { return load(out + i) * factor; });
            lse[r] = memory_.largest[r] / static_cast<Number>(log2_e) +
                     static_cast<Number>(__builtin_log(static_cast<double>(total)));
        }
    }

    const Attention& it_;
    const ForwardMemory<T>& memory_;
    const Sequence& sequence_;
    View<Number> view_;
    int64_t head_, first_, rows_, all_rows_;
    const C* values_ = nullptr;
};

inline int64_t forward_tasks_of_head(const Attention& it) {
    constexpr int64_t most = tile_rows * tiles_of_task;
    return (it.longest_q + most - 1) / most;
}

template <typename T>
void attention_range(const Attention& it, int64_t first, int64_t last, void* memory) {
    Arena arena(memory);
    const ForwardMemory<T> parts(arena, it.head_dim);
    const int64_t tasks = forward_tasks_of_head(it);
    for (int64_t task = first; task < last; task++) {
        const Sequence sequence(it, task / tasks / it.num_heads);
        const int64_t query = task % tasks * tile_rows * tiles_of_task;
        if (query < sequence.num_queries) {
            ForwardTask<T>(it, parts, sequence, task / tasks % it.num_heads, query).run();
        }
    }
}

}  // namespace torchstone::KERNELS_ISA
