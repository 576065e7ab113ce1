// cuda::pipeline: of one thread, which waits for its own copies, and of a block, whose threads wait
// for each other stage by stage.
#pragma once

#include "cusim/block_barrier.h"

namespace cuda {

template <unsigned char N>
using cusim_stages = std::integral_constant<unsigned char, N>;

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char NumStages>
class pipeline_shared_state {
    static_assert(Scope == thread_scope_block,
                  "cuda::pipeline_shared_state of this scope is not supported by cudasim: use "
                  "cuda::thread_scope_block");

   public:
    pipeline_shared_state() = default;
    pipeline_shared_state(const pipeline_shared_state&) = delete;
    pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

   private:
    template <thread_scope S>
    friend class pipeline;
    barrier<thread_scope_block> full_[NumStages], empty_[NumStages];
    int num_producers_;

    CUSIM_INLINE void start(int num_producers, int num_consumers) {
        for (unsigned stage = 0; stage < NumStages; stage++) {
            init(&full_[stage], num_producers);
            init(&empty_[stage], num_consumers);
        }
    }
    CUSIM_PLAIN void set_producers(int number) { num_producers_ = number; }
    CUSIM_PLAIN int add_producers(int number) { return num_producers_ += number; }
};

template <thread_scope Scope>
class pipeline {
    static_assert(Scope == thread_scope_block || Scope == thread_scope_thread,
                  "cuda::pipeline of this scope is not supported by cudasim: use "
                  "cuda::thread_scope_thread or cuda::thread_scope_block");

   public:
    pipeline(pipeline&&) = default;
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    CUSIM_INLINE void producer_acquire(int site = __builtin_LINE()) {
        if (full_) {
            empty_[head_ % num_stages_].cusim_wait_for_phases(head_ / num_stages_, site);
        }
    }
    CUSIM_INLINE void producer_commit() {
        if (full_) {
            static_cast<void>(full_[head_ % num_stages_].arrive());
        } else {
            cusim_copies_commit();
        }
        head_++;
    }
    CUSIM_INLINE void consumer_wait(int site = __builtin_LINE()) {
        if (full_) {
            full_[tail_ % num_stages_].cusim_wait_for_phases(tail_ / num_stages_ + 1, site);
        } else {
            // The next stage of the thread, whether or not the last one was released.
            tail_ += tail_ != head_;
            cusim_copies_wait_prior(head_ - tail_);
        }
    }
    CUSIM_INLINE void consumer_release() {
        if (full_) {
            static_cast<void>(empty_[tail_++ % num_stages_].arrive());
        }
    }
    // The wait that completes a copy issued now.
    CUSIM_INLINE cusim::async_copy::Awaited cusim_awaited() const {
        if (!full_) {
            return {};
        }
        return {&full_[head_ % num_stages_], head_ / num_stages_};
    }
    // Waits for all stages of the thread but the newest ones.
    CUSIM_INLINE void cusim_wait_prior(unsigned num_stages) {
        tail_ = static_cast<int>(head_ - num_stages - tail_) > 0 ? head_ - num_stages : tail_;
        cusim_copies_wait_prior(num_stages);
    }
    template <class T = void>
    bool quit() {
        static_assert(!std::is_void<T>::value, "cuda::pipeline::quit is not supported by cudasim");
        return true;
    }

   private:
    friend pipeline<thread_scope_thread> make_pipeline();
    template <class G, thread_scope S, unsigned char N>
    friend pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state);
    template <class G, thread_scope S, unsigned char N>
    friend pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state,
                                     size_t num_producers);
    template <class G, thread_scope S, unsigned char N>
    friend pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state,
                                     pipeline_role role);

    CUSIM_INLINE pipeline() {}

    // All threads of the group call it; one of them initializes the shared state.
    template <class G, class State, unsigned char N>
    static CUSIM_INLINE pipeline start(const G& group, State* state, int num_producers,
                                       int num_consumers, cusim_stages<N>) {
        if (group.thread_rank() == 0) {
            state->start(num_producers, num_consumers);
        }
        group.sync(-1);
        pipeline made;
        made.full_ = state->full_;
        made.empty_ = state->empty_;
        made.num_stages_ = N;
        return made;
    }
    template <class G, class State>
    static CUSIM_INLINE int count_producers(const G& group, State* state, bool is_producer) {
        if (group.thread_rank() == 0) {
            state->set_producers(0);
        }
        group.sync(-2);
        state->add_producers(is_producer ? 1 : 0);
        group.sync(-3);
        return state->add_producers(0);
    }

    barrier<thread_scope_block>* full_ = nullptr;
    barrier<thread_scope_block>* empty_ = nullptr;
    unsigned num_stages_ = 1;
    unsigned head_ = 0, tail_ = 0;
};

CUSIM_INLINE pipeline<thread_scope_thread> make_pipeline() {
    return pipeline<thread_scope_thread>();
}
// All threads of the group produce and consume.
template <class G, thread_scope S, unsigned char N>
CUSIM_INLINE pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state) {
    const int size = static_cast<int>(group.size());
    return pipeline<S>::start(group, state, size, size,
                              cusim_stages<N>());
}
// The threads with the lowest ranks produce, the others consume.
template <class G, thread_scope S, unsigned char N>
CUSIM_INLINE pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state,
                                       size_t num_producers) {
    const int size = static_cast<int>(group.size()), producers = static_cast<int>(num_producers);
    return pipeline<S>::start(group, state, producers, size - producers,
                              cusim_stages<N>());
}
template <class G, thread_scope S, unsigned char N>
CUSIM_INLINE pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state,
                                       pipeline_role role) {
    const int producers =
        pipeline<S>::count_producers(group, state, role == pipeline_role::producer);
    return pipeline<S>::start(group, state, producers, static_cast<int>(group.size()) - producers,
                              cusim_stages<N>());
}

// Waits for all stages but the newest ones.
template <unsigned char Prior>
CUSIM_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
    pipe.cusim_wait_prior(Prior);
}

template <class Size, thread_scope Scope>
CUSIM_INLINE void memcpy_async(void* to, const void* from, Size size, pipeline<Scope>& by) {
    cusim::async_copy::copy_share(to, from, size, 0, 1, by.cusim_awaited());
}
template <class G, class Size, thread_scope Scope>
CUSIM_INLINE void memcpy_async(const G& group, void* to, const void* from, Size size,
                               pipeline<Scope>& by) {
    cusim::async_copy::copy_share(to, from, size, group.thread_rank(), group.size(),
                                  by.cusim_awaited());
}

}  // namespace cuda
