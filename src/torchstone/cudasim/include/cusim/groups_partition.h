// Partitioning of groups; included by cooperative_groups.h.
#pragma once

namespace cooperative_groups {

template <unsigned Size>
CUSIM_INLINE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
    return cusim_access::tile<thread_block_tile<Size, thread_block>>(
        cusim_rank / Size, (cusim::groups::block_size() + Size - 1) / Size);
}

template <unsigned Size, unsigned ParentSize, class ParentT>
CUSIM_INLINE thread_block_tile<Size, thread_block_tile<ParentSize, ParentT>> tiled_partition(
    const thread_block_tile<ParentSize, ParentT>&) {
    static_assert(Size <= ParentSize, "a tile is not larger than the tile that it is made of");
    return cusim_access::tile<thread_block_tile<Size, thread_block_tile<ParentSize, ParentT>>>(
        cusim_rank % ParentSize / Size, ParentSize / Size);
}

CUSIM_INLINE thread_block_tile<1> this_thread() {
    return cusim_access::tile<thread_block_tile<1>>(0, 1);
}

// The part of a lane group with the ranks around the caller's own.
CUSIM_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
    if (size == 0 || (size & (size - 1)) != 0) {
        cusim_assert_fail("the size of a tile is a power of two", __FILE__, __LINE__,
                          "tiled_partition");
    }
    const unsigned rank = parent.thread_rank();
    return coalesced_group(
        cusim::groups::part_of(parent.mask_, rank / size * size, size), rank / size,
        (parent.num_threads() + size - 1) / size);
}

CUSIM_INLINE thread_group tiled_partition(const thread_group& parent, unsigned size) {
    if (parent.kind_ == thread_group::Kind::lanes) {
        return tiled_partition(cusim_access::lanes(parent.mask_), size);
    }
    if (parent.kind_ == thread_group::Kind::grid || size > 32) {
        cusim_assert_fail("a tile of a grid, or of more than 32 threads, is not supported",
                          __FILE__, __LINE__, "tiled_partition");
    }
    // For a whole warp; the last warp of a block may have fewer lanes.
    const unsigned left = cusim::groups::block_size() - (cusim_rank & ~31u);
    const unsigned warp = cusim::groups::full_mask >> (left < 32 ? 32 - left : 0);
    return tiled_partition(cusim_access::lanes(warp), size);
}

namespace cusim_traits {
template <class G>
struct lanes_of_warp : std::false_type {};
template <>
struct lanes_of_warp<coalesced_group> : std::true_type {};
template <unsigned Size, class ParentT>
struct lanes_of_warp<thread_block_tile<Size, ParentT>> : std::true_type {};
}  // namespace cusim_traits

// The threads of a group with the same label.
template <class G, class T>
CUSIM_INLINE coalesced_group labeled_partition(const G& group, T label,
                                               int site = __builtin_LINE()) {
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "labeled_partition takes a coalesced_group or a thread_block_tile");
    static_assert(std::is_integral<T>::value, "the label is an integer");
    return cusim_access::lanes(cusim::groups::vote(CUSIM_MATCH_ANY, cusim_access::mask(group),
                                                   cusim::to_bits(label), site));
}

template <class G>
CUSIM_INLINE coalesced_group binary_partition(const G& group, bool predicate,
                                              int site = __builtin_LINE()) {
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "binary_partition takes a coalesced_group or a thread_block_tile");
    const unsigned mask = cusim_access::mask(group);
    const unsigned chosen = cusim::groups::vote(CUSIM_BALLOT, mask, predicate, site);
    return cusim_access::lanes(predicate ? chosen : mask & ~chosen);
}

template <class G>
CUSIM_INLINE void sync(const G& group, int site = __builtin_LINE()) {
    group.sync(site);
}
template <class G>
CUSIM_INLINE auto thread_rank(const G& group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class G>
CUSIM_INLINE auto group_size(const G& group) -> decltype(group.size()) {
    return group.size();
}

// One thread of the group, which is unspecified, calls the function.
template <class G, class F, class... A>
CUSIM_INLINE void invoke_one(const G& group, F&& function, A&&... arguments) {
    if (group.thread_rank() == 0) {
        std::forward<F>(function)(std::forward<A>(arguments)...);
    }
}

// All threads of the group get the result of the call.
template <class G, class F, class... A>
CUSIM_INLINE auto invoke_one_broadcast(const G& group, F&& function, A&&... arguments)
    -> decltype(std::forward<F>(function)(std::forward<A>(arguments)...)) {
    using R = std::decay_t<decltype(std::forward<F>(function)(std::forward<A>(arguments)...))>;
    static_assert(cusim_traits::lanes_of_warp<G>::value,
                  "invoke_one_broadcast takes a coalesced_group or a thread_block_tile");
    static_assert(cusim::groups::can_travel<R>,
                  "invoke_one_broadcast returns trivially copyable values of at most 32 bytes");
    R result{};
    if (group.thread_rank() == 0) {
        result = std::forward<F>(function)(std::forward<A>(arguments)...);
    }
    return group.shfl(result, 0, 0);
}

}  // namespace cooperative_groups
