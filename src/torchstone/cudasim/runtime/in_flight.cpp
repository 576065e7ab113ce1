// The slowest valid cp.async: a thread's copies to shared memory complete when it waits, or when
// any thread waits for the same barrier phase. Without a wait they never complete.
#include "in_flight.h"

#include <cstring>
#include <utility>

#include "detect.h"

namespace cusim {
namespace {

static_assert(cusim_shared_span == 2 * shared_space, "the headers and the runtime agree");

InFlight& copies_of(Block& block) {
    if (__builtin_expect(!block.in_flight, 0)) {
        block.in_flight = new InFlight(worker->launch->num_threads);
        block.in_flight->drop_all(worker->launch->num_threads);
    }
    return *block.in_flight;
}

inline void arrive(const Copy& copy, bool is_own) {
    detect::copy_arrived(copy, is_own);
    // Read by the words in which it was stored: a wider read would stall on store forwarding.
    uint64_t low = copy.words[0], high = copy.words[1];
    asm("" : "+r"(low), "+r"(high));
    char* const to = static_cast<char*>(copy.to);
    switch (copy.size) {
        case 16:
            std::memcpy(to, &low, 8);
            std::memcpy(to + 8, &high, 8);
            break;
        case 8:
            std::memcpy(to, &low, 8);
            break;
        case 4:
            std::memcpy(to, &low, 4);
            break;
        default:
            std::memcpy(to, &low, 1);
    }
}

}  // namespace

CopyQueue::CopyQueue(CopyQueue&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      head_(std::exchange(other.head_, 0)),
      tail_(std::exchange(other.tail_, 0)) {}

void CopyQueue::grow() {
    const unsigned capacity = capacity_ ? 2 * capacity_ : 4;
    Copy* const ring = new Copy[capacity];
    for (unsigned i = head_; i != tail_; i++) {
        ring[i & (capacity - 1)] = ring_[i & (capacity_ - 1)];
    }
    delete[] ring_;
    ring_ = ring;
    capacity_ = capacity;
}

InFlight::OfKey* InFlight::find(const void* key) {
    if (last_key < num_keys && keys[last_key].key == key) {
        return &keys[last_key];
    }
    for (unsigned i = 0; i < num_keys; i++) {
        if (keys[i].key == key) {
            last_key = i;
            return &keys[i];
        }
    }
    return nullptr;
}

CopyQueue& InFlight::queue_for(const void* key) {
    if (OfKey* const known = find(key)) {
        return known->copies;
    }
    last_key = num_keys++;
    if (keys.size() < num_keys) {
        keys.emplace_back();
    }
    keys[last_key].key = key;
    return keys[last_key].copies;
}

void InFlight::drop_all(unsigned num_threads) {
    if (threads.size() < num_threads) {
        threads.resize(num_threads);
    }
    for (unsigned rank = 0; rank < num_threads; rank++) {
        threads[rank].copies.clear();
        threads[rank].num_commits = 0;
    }
    for (unsigned i = 0; i < num_keys; i++) {
        keys[i].copies.clear();
    }
    num_keys = 0;
}

}  // namespace cusim

using namespace cusim;

static inline void fill(Copy& copy, void* to, uint64_t low, uint64_t high, unsigned size,
                        unsigned batch) {
    copy.to = to;
    copy.words[0] = low;
    copy.words[1] = high;
    copy.batch = batch;
    copy.size = size;
}

static __attribute__((noinline)) Copy& begin_anywhere(void* to, uint64_t low, uint64_t high,
                                                      unsigned size, const void* key,
                                                      unsigned phase) {
    InFlight& all = copies_of(*worker->block);
    InFlight::OfThread& mine = all.threads[cusim_rank];
    CopyQueue& queue = key ? all.queue_for(key) : mine.copies;
    const unsigned batch = key ? phase : mine.num_commits;
    if (key && queue.is_behind(batch)) {
        queue.clear();  // the barrier was reinitialized
    }
    Copy& copy = queue.push();
    fill(copy, to, low, high, size, batch);
    return copy;
}

#if CUSIM_CHECK

extern "C" void cusim_copy_begin(void* to, uint64_t low, uint64_t high, unsigned size,
                                 const void* key, unsigned phase) {
    void* const pc = __builtin_return_address(0);
    const uint64_t words[2] = {low, high};
    detect::copy_begun(to, words, size, pc);
    Copy& copy = begin_anywhere(to, low, high, size, key, phase);
    copy.pc = pc;
    copy.num_read = 0;
    copy.rank = cusim_rank;
    worker->block->in_flight->newest = &copy;
}

extern "C" void cusim_copy_source(const void* from, unsigned size) {
    Copy& copy = *worker->block->in_flight->newest;
    copy.from = from;
    copy.num_read = size;
}

#else

// The fast path for all but the first few copies; only the slow path saves registers.
extern "C" void cusim_copy_begin(void* to, uint64_t low, uint64_t high, unsigned size,
                                 const void* key, unsigned phase) {
    InFlight* const all = worker->block->in_flight;
    if (CUSIM_LIKELY(all && !key)) {
        InFlight::OfThread& mine = all->threads[cusim_rank];
        if (CUSIM_LIKELY(mine.copies.has_room())) {
            return fill(mine.copies.push(), to, low, high, size, mine.num_commits);
        }
    }
    begin_anywhere(to, low, high, size, key, phase);
}

#endif

extern "C" void cusim_copies_commit() {
    Worker* const me = worker;
    if (me && me->in_kernel) {
        copies_of(*me->block).threads[cusim_rank].num_commits++;
    }
}

extern "C" void cusim_copies_wait_prior(size_t num_commits) {
    Worker* const me = worker;
    if (!me || !me->in_kernel || !me->block->in_flight) {
        return;
    }
    InFlight::OfThread& mine = me->block->in_flight->threads[cusim_rank];
    if (num_commits < mine.num_commits) {
        const unsigned kept = static_cast<unsigned>(num_commits);
        mine.copies.take_before(mine.num_commits - kept,
                                [](const Copy& copy) { arrive(copy, true); });
    }
}

extern "C" void cusim_copies_wait_phase(const void* key, unsigned phase) {
    Worker* const me = worker;
    if (!me || !me->in_kernel || !me->block->in_flight) {
        return;
    }
    if (InFlight::OfKey* const found = me->block->in_flight->find(key)) {
        found->copies.take_before(phase + 1, [](const Copy& copy) { arrive(copy, false); });
    }
}
