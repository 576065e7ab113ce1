// Collective copies by all threads of a group; each call is one commit of every thread.
#pragma once

#include "cooperative_groups.h"
#include "cusim/async_copy.h"

namespace cooperative_groups {

template <class G>
CUSIM_INLINE void cusim_copy_share(const G& group, void* to, const void* from, size_t num_bytes) {
    cusim::async_copy::copy_share(to, from, num_bytes, group.thread_rank(), group.size(), {});
    cusim_copies_commit();
}

template <class G, class T, class U>
CUSIM_INLINE void memcpy_async(const G& group, T* to, const U* from, size_t num_bytes) {
    cusim_copy_share(group, to, from, num_bytes);
}

template <class G, class T, class U, size_t N>
CUSIM_INLINE void memcpy_async(const G& group, T* to, const U* from,
                               const cuda::aligned_size_t<N>& num_bytes) {
    cusim::async_copy::check_alignment<N>(to, from, num_bytes);
    cusim_copy_share(group, to, from, num_bytes);
}

// With element counts for both sides: the smaller one applies.
template <class G, class T>
CUSIM_INLINE void memcpy_async(const G& group, T* to, size_t to_size, const T* from,
                               size_t from_size) {
    const size_t size = to_size < from_size ? to_size : from_size;
    cusim_copy_share(group, to, from, size * sizeof(T));
}

// Waits for the copies of all threads of the group: each for its own, then for the others.
template <class G>
CUSIM_INLINE void wait(const G& group, int site = __builtin_LINE()) {
    cusim_copies_wait_prior(0);
    group.sync(site);
}
template <unsigned NumStages, class G>
CUSIM_INLINE void wait_prior(const G& group, int site = __builtin_LINE()) {
    cusim_copies_wait_prior(NumStages);
    group.sync(site);
}

}  // namespace cooperative_groups
