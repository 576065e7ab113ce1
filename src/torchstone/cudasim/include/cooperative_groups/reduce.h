// Reductions over the lanes of a tile or of a coalesced group.
#pragma once

#include "cooperative_groups.h"
#include "cusim/groups_operators.h"

namespace cooperative_groups {

template <class G, class T, class F>
CUSIM_INLINE std::decay_t<T> reduce(const G& group, T&& value, F&& operation,
                                    int site = __builtin_LINE()) {
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "cooperative_groups::reduce takes a thread_block_tile or a coalesced_group");
    return cusim::groups::reduce<std::decay_t<T>>(cusim_access::mask(group), value, operation,
                                                  site);
}

}  // namespace cooperative_groups
