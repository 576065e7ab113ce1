// Foundations of cooperative groups and wmma: lanes, ranks within a mask, and operations in which
// the last lane to arrive does the work of all.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "cusim/abi.h"
#include "cusim/launch.h"

namespace cusim {
namespace groups {

constexpr unsigned full_mask = 0xffffffffu;

CUSIM_INLINE unsigned lane() { return cusim_rank & 31; }
CUSIM_INLINE unsigned count(unsigned mask) {
    return static_cast<unsigned>(__builtin_popcount(mask));
}
CUSIM_INLINE unsigned rank_in(unsigned mask) { return count(mask & ((1u << lane()) - 1)); }

// The lane with a given rank within a mask; out of every mask if there is none.
CUSIM_INLINE int lane_of(unsigned mask, unsigned rank) {
    for (; rank != 0 && mask != 0; rank--) {
        mask &= mask - 1;
    }
    return mask != 0 ? __builtin_ctz(mask) : -1;
}

// Converts bits by lane to bits by rank.
CUSIM_INLINE unsigned pack(unsigned mask, unsigned bits) {
    unsigned packed = 0;
    for (unsigned rank = 0; mask != 0; rank++, mask &= mask - 1) {
        packed |= (bits >> __builtin_ctz(mask) & 1) << rank;
    }
    return packed;
}

// The lanes with ranks first to first + size - 1 of a mask.
CUSIM_INLINE unsigned part_of(unsigned mask, unsigned first, unsigned size) {
    unsigned part = 0;
    for (unsigned rank = 0; mask != 0; rank++, mask &= mask - 1) {
        part |= (rank >= first && rank < first + size ? 1u : 0u) << __builtin_ctz(mask);
    }
    return part;
}

CUSIM_INLINE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

template <class T>
constexpr bool can_travel = std::is_trivially_copyable<T>::value && sizeof(T) <= 32;

// A shuffle of a value of any type, eight bytes at a time.
template <class T>
CUSIM_INLINE T shuffle(int op, unsigned mask, const T& value, int arg, int width, int site) {
    static_assert(can_travel<T>,
                  "a group shuffles trivially copyable values of at most 32 bytes");
    constexpr int num_words = (sizeof(T) + 7) / 8;
    uint64_t words[num_words] = {};
    std::memcpy(words, &value, sizeof(T));
    for (int i = 0; i < num_words; i++) {
        words[i] = cusim_warp(op, mask, words[i], arg, width, site);
    }
    T result = value;
    std::memcpy(static_cast<void*>(&result), words, sizeof(T));
    return result;
}

CUSIM_INLINE unsigned vote(int op, unsigned mask, uint64_t value, int site) {
    return static_cast<unsigned>(cusim_warp(op, mask, value, 0, 32, site));
}

// Waits for the lanes of the mask; the last one executes the operation.
CUSIM_INLINE void meet(unsigned mask, Collective& operation, int site, int op = CUSIM_CALL) {
    cusim_warp(op, mask, reinterpret_cast<uint64_t>(&operation), 0, 32, site);
}

// Maps the values of all lanes to one result per lane by F.
template <class T, class F>
struct Fold : Collective {
    T value;
    const F* function;
    Fold(void (*fold)(Collective* const*, unsigned), const T& v, const F& f)
        : Collective{fold}, value(v), function(&f) {}
};

// Adjacent lanes first, then their sums: the order of a butterfly reduction on a GPU.
template <class T, class F>
CUSIM_PLAIN void reduce_lanes(Collective* const* lanes, unsigned present) {
    Fold<T, F>* folds[32];
    unsigned size = 0;
    for (unsigned left = present; left; left &= left - 1) {
        folds[size++] = static_cast<Fold<T, F>*>(lanes[__builtin_ctz(left)]);
    }
    const F& function = *folds[0]->function;
    for (unsigned step = 1; step < size; step *= 2) {
        for (unsigned i = 0; i + step < size; i += 2 * step) {
            folds[i]->value = static_cast<T>(function(folds[i]->value, folds[i + step]->value));
        }
    }
    for (unsigned i = 1; i < size; i++) {
        folds[i]->value = folds[0]->value;
    }
}

template <class T, class F, bool is_exclusive>
CUSIM_PLAIN void scan_lanes(Collective* const* lanes, unsigned present) {
    Fold<T, F>* const first = static_cast<Fold<T, F>*>(lanes[__builtin_ctz(present)]);
    const F& function = *first->function;
    T total = first->value;
    if (is_exclusive) {
        first->value = T();
    }
    for (unsigned left = present & (present - 1); left; left &= left - 1) {
        Fold<T, F>* const fold = static_cast<Fold<T, F>*>(lanes[__builtin_ctz(left)]);
        const T before = total;
        total = static_cast<T>(function(total, fold->value));
        fold->value = is_exclusive ? before : total;
    }
}

template <class T, class F>
CUSIM_INLINE T reduce(unsigned mask, const T& value, const F& function, int site) {
    static_assert(can_travel<T>, "a group reduces trivially copyable values of at most 32 bytes");
    Fold<T, F> fold(&reduce_lanes<T, F>, value, function);
    meet(mask, fold, site, CUSIM_FOLD);
    return fold.value;
}

template <bool is_exclusive, class T, class F>
CUSIM_INLINE T scan(unsigned mask, const T& value, const F& function, int site) {
    static_assert(can_travel<T>, "a group scans trivially copyable values of at most 32 bytes");
    Fold<T, F> fold(&scan_lanes<T, F, is_exclusive>, value, function);
    meet(mask, fold, site, CUSIM_FOLD);
    return fold.value;
}

}  // namespace groups
}  // namespace cusim
