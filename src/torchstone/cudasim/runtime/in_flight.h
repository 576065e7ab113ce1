// Asynchronous copies between issue and completion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine.h"

namespace cusim {

// A deferred write.
struct Copy {
    void* to;
    uint64_t words[2];
    unsigned batch;  // the commit of its thread, or the phase of its barrier
    unsigned size;
#if CUSIM_CHECK
    void* pc;
    const void* from;
    unsigned num_read;
    unsigned rank;
#endif
};

// Queue of copies in batch order. The ring grows and is reused: a kernel issues about as many
// copies in every iteration.
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
    // Removes all copies before a batch; the comparison is modular, because phases wrap around.
    template <class F>
    void take_before(unsigned batch, const F& use) {
        // A local copy, because the writes in `use` may alias members.
        const Copy* const ring = ring_;
        const unsigned mask = capacity_ - 1, tail = tail_;
        unsigned at = head_;
        while (at != tail && static_cast<int>(ring[at & mask].batch - batch) < 0) {
            use(ring[at++ & mask]);
        }
        head_ = at;
        if (at == tail) {
            clear();  // restart at the cached part of the ring
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

// The copies of one block.
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
    std::vector<OfKey> keys;  // the barriers with assigned copies, few of them
    unsigned num_keys = 0;    // number used by this block
    unsigned last_key = 0;
    Copy* newest = nullptr;   // valid until the next one is issued

    OfKey* find(const void* key);
    CopyQueue& queue_for(const void* key);
    // Called at the start of a block: all waiting threads have ended.
    void drop_all(unsigned num_threads);
};

}  // namespace cusim
