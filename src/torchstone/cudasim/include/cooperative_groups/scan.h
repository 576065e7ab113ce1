// Prefix sums over the lanes of a tile or of a coalesced group.
#pragma once

#include "cooperative_groups.h"
#include "cusim/groups_operators.h"

namespace cooperative_groups {

template <class G, class T, class F>
CUSIM_INLINE std::decay_t<T> inclusive_scan(const G& group, T&& value, F&& operation,
                                            int site = __builtin_LINE()) {
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "cooperative_groups::inclusive_scan takes a thread_block_tile or a "
                  "coalesced_group");
    return cusim::groups::scan<false, std::decay_t<T>>(cusim_access::mask(group), value, operation,
                                                       site);
}
template <class G, class T>
CUSIM_INLINE std::decay_t<T> inclusive_scan(const G& group, T&& value,
                                            int site = __builtin_LINE()) {
    return inclusive_scan(group, value, plus<std::decay_t<T>>(), site);
}

// The exclusive prefix sum: the first thread gets T().
template <class G, class T, class F>
CUSIM_INLINE std::decay_t<T> exclusive_scan(const G& group, T&& value, F&& operation,
                                            int site = __builtin_LINE()) {
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "cooperative_groups::exclusive_scan takes a thread_block_tile or a "
                  "coalesced_group");
    return cusim::groups::scan<true, std::decay_t<T>>(cusim_access::mask(group), value, operation,
                                                      site);
}
template <class G, class T>
CUSIM_INLINE std::decay_t<T> exclusive_scan(const G& group, T&& value,
                                            int site = __builtin_LINE()) {
    return exclusive_scan(group, value, plus<std::decay_t<T>>(), site);
}

}  // namespace cooperative_groups
