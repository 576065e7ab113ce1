// cuda::barrier in shared memory, and cuda::memcpy_async, which assigns copies to a phase of a
// barrier: they complete when a thread waits for that phase. Barriers shared by several blocks are
// refused, because blocks need not run concurrently.
#pragma once

#include <type_traits>
#include <utility>

#include "cusim/abi.h"
#include "cusim/async_copy.h"
#include "cusim/launch.h"

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread,
};

template <thread_scope Scope>
class barrier {
    static_assert(Scope == thread_scope_block,
                  "cuda::barrier of this scope is not supported by cudasim: use "
                  "cuda::barrier<cuda::thread_scope_block> in shared memory, or grid.sync()");

   public:
    class arrival_token {
        friend class barrier;
        unsigned phase_;
        explicit arrival_token(unsigned phase) : phase_(phase) {}
    };

    barrier() = default;
    CUSIM_INLINE explicit barrier(int expected) { start(expected); }
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    friend CUSIM_INLINE void init(barrier* self, int expected) { self->start(expected); }

    [[nodiscard]] CUSIM_INLINE arrival_token arrive(int update = 1) {
        check();
        return arrival_token(count_down(update));
    }
    CUSIM_INLINE void wait(arrival_token&& token, int site = __builtin_LINE()) const {
        while (num_completed() == token.phase_) {
            cusim_park(this, site);
        }
        cusim_copies_wait_phase(this, token.phase_);
    }
    CUSIM_INLINE void arrive_and_wait(int site = __builtin_LINE()) { wait(arrive(), site); }
    CUSIM_INLINE void arrive_and_drop() {
        check();
        drop();
        count_down(1);
    }
    CUSIM_INLINE void wait_parity(bool parity, int site = __builtin_LINE()) const {
        while ((num_completed() & 1) == parity) {
            cusim_park(this, site);
        }
        cusim_copies_wait_phase(this, num_completed() - 1);
    }
    static constexpr int max() { return (1 << 20) - 1; }

    // Waits for a number of completed phases, for pipelines.
    CUSIM_INLINE void cusim_wait_for_phases(unsigned wanted, int site) const {
        while (static_cast<int>(num_completed() - wanted) < 0) {
            cusim_park(this, site);
        }
        cusim_copies_wait_phase(this, wanted - 1);
    }
    // The wait that completes a copy issued now.
    CUSIM_INLINE cusim::async_copy::Awaited cusim_awaited() const {
        return {this, num_completed()};
    }

   private:
    // Written only by init(), and read as ordinary memory: using a barrier before its init() is
    // ordered for all threads is a race, and is detected as one.
    int initial_;
    int expected_;
    int pending_;
    unsigned phase_;

    CUSIM_INLINE void start(int expected) {
        cusim_keep_turns();
        initial_ = expected;
        begin(expected);
    }
    CUSIM_INLINE void check() const {
        if (initial_ < 0) {
            cusim_assert_fail("a cuda::barrier is used before init()", __FILE__, __LINE__,
                              "cuda::barrier");
        }
    }
    CUSIM_PLAIN void begin(int expected) {
        expected_ = pending_ = expected;
        phase_ = 0;
    }
    CUSIM_PLAIN unsigned num_completed() const { return phase_; }
    CUSIM_PLAIN void drop() { expected_--; }
    CUSIM_PLAIN unsigned count_down(int update) {
        const unsigned phase = phase_;
        pending_ -= update;
        if (pending_ < 0) {
            cusim_assert_fail("no more threads arrive at a cuda::barrier than init() named",
                              __FILE__, __LINE__, "cuda::barrier::arrive");
        }
        if (pending_ == 0) {
            pending_ = expected_;
            phase_++;
            cusim_wake(this);
        }
        return phase;
    }
};

// A copy assigned to a phase of the barrier: by one thread, or by all of a group.
template <class Size, thread_scope Scope>
CUSIM_INLINE void memcpy_async(void* to, const void* from, Size size, barrier<Scope>& by) {
    cusim::async_copy::copy_share(to, from, size, 0, 1, by.cusim_awaited());
}
template <class G, class Size, thread_scope Scope>
CUSIM_INLINE void memcpy_async(const G& group, void* to, const void* from, Size size,
                               barrier<Scope>& by) {
    cusim::async_copy::copy_share(to, from, size, group.thread_rank(), group.size(),
                                  by.cusim_awaited());
}

}  // namespace cuda
