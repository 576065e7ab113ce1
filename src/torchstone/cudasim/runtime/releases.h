// Release sequences of a word: a fence before an atomic access, and a later atomic access by
// another thread.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "shadow.h"

namespace cusim::detect {

struct Fence {
    uint32_t epoch;
    uint32_t clock;
};
using Fences = std::vector<Fence>;  // the last one of each thread

// What a thread's fence covers: all of its block's accesses in earlier epochs, its own accesses,
// and what other threads of the block had fenced before the last barrier.
struct Released {
    uint32_t epoch;
    uint32_t clock;
    uint16_t rank;
    std::shared_ptr<const Fences> fellows;
};
// Keyed by the releaser: a thread of a block, or a block as a whole (the latest of its threads).
using Releases = std::unordered_map<uint64_t, Released>;
inline uint64_t key_of(uint64_t block, unsigned rank) { return block * (2 * max_threads) + rank; }
constexpr unsigned whole_block = max_threads;

inline bool is_before(const Moment& then, uint32_t epoch, uint32_t clock) {
    return then.epoch < epoch ||
           (then.epoch == epoch && (then.clock < clock || clock >= last_clock));
}

inline bool knows(const Releases& releases, uint64_t block, const Moment& then, unsigned rank) {
    const auto whole = releases.find(key_of(block, whole_block));
    if (whole == releases.end()) {
        return false;
    }
    const Released& latest = whole->second;
    if (then.epoch < latest.epoch) {
        return true;
    }
    if (latest.fellows && rank < latest.fellows->size() &&
        is_before(then, (*latest.fellows)[rank].epoch, (*latest.fellows)[rank].clock)) {
        return true;
    }
    const auto one = releases.find(key_of(block, rank));
    return one != releases.end() && is_before(then, one->second.epoch, one->second.clock);
}

inline bool is_later(const Released& a, const Released& b) {
    return a.epoch > b.epoch ||
           (a.epoch == b.epoch && (a.clock > b.clock || a.fellows != b.fellows));
}

// Returns whether anything changed.
inline bool keep_latest(Releases& into, uint64_t key, const Released& released) {
    const auto [at, is_new] = into.try_emplace(key, released);
    if (!is_new && is_later(released, at->second)) {
        at->second = released;
        return true;
    }
    return is_new;
}

// The same with the keys in the order of their changes: threads that spin on a lock access its word
// repeatedly, and need only the new ones.
struct Log {
    Releases all;
    std::vector<uint64_t> changes;

    bool empty() const { return all.empty(); }
    void clear() {
        all.clear();
        changes.clear();
    }
};

inline void keep_latest(Log& into, uint64_t key, const Released& released) {
    if (keep_latest(into.all, key, released)) {
        into.changes.push_back(key);
    }
}

template <class T>
void join(T& into, const Releases& from) {
    for (const auto& [key, released] : from) {
        keep_latest(into, key, released);
    }
}

// Merges the changes from index `begin` on.
inline void join(Log& into, const Log& from, size_t begin) {
    for (size_t i = begin; i < from.changes.size(); i++) {
        keep_latest(into, from.changes[i], from.all.at(from.changes[i]));
    }
}

}  // namespace cusim::detect
