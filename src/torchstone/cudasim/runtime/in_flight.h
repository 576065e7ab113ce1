// Asynchronous copies between their issue and the wait for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine.h"

namespace cusim {

// A write that is still to be done.
struct Copy {
    void* to;
    uint64_t words[2];
    unsigned batch;  // which commit of its thread it belongs to, or which phase it is meant for
    unsigned size;
#if CUSIM_CHECK
    void* pc;
    const void* from;
    unsigned num_read;
    unsigned rank;
#endif
};

// Copies in the order of their batches. The ring grows and is kept: a kernel asks for about as many
// in every round.
class CopyQueue {
   public:
    CopyQueue() = default;
    CopyQueue(CopyQueue&& other) noexcept;
    CopyQueue(const CopyQueue&) = delete;
    CopyQueue& operator=(const CopyQueue&) = delete;
    ~CopyQueue() { delete[] ring_; }

    bool has_room() const { return tail_ - head_ != capacity_; }
    Copy& push() {
        if (__builtin_expect(!has_room(), 0)) {
            grow();
        }
        return ring_[tail_++ & (capacity_ - 1)];
    }
    // Takes out all before a batch, in a ring of numbers, for phases are counted without end.
    template <class F>
    void take_before(unsigned batch, const F& use) {
        // Of its own, for what `use` writes might be anything to the compiler.
        const Copy* const ring = ring_;
        const unsigned mask = capacity_ - 1, tail = tail_;
        unsigned at = head_;
        while (at != tail && static_cast<int>(ring[at & mask].batch - batch) < 0) {
            use(ring[at++ & mask]);
        }
        head_ = at;
        if (at == tail) {
            clear();  // to begin again where the ring is in the cache
        }
    }
    bool is_behind(unsigned batch) const {
        return head_ != tail_ &&
               static_cast<int>(ring_[(tail_ - 1) & (capacity_ - 1)].batch - batch) > 0;
    }
    void clear() { head_ = tail_ = 0; }

   private:
    void grow();

    Copy* ring_ = nullptr;
    unsigned capacity_ = 0;  // a power of two
    unsigned head_ = 0, tail_ = 0;
};

// Of one block.
struct InFlight {
    struct OfThread {
        CopyQueue copies;
        unsigned num_commits = 0;
    };
    struct OfKey {
        const void* key = nullptr;
        CopyQueue copies;
    };
    explicit InFlight(unsigned num_threads) : threads(num_threads) {}

    std::vector<OfThread> threads;
    std::vector<OfKey> keys;  // the barriers for which copies are meant, few of them
    unsigned num_keys = 0;    // that this block has used
    unsigned last_key = 0;
    Copy* newest = nullptr;   // until the next one is issued

    OfKey* find(const void* key);
    CopyQueue& queue_for(const void* key);
    // A new block begins: all threads that waited for the rest have ended.
    void drop_all(unsigned num_threads);
};

}  // namespace cusim
