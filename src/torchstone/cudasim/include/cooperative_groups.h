// Cooperative groups: thread_block, thread_block_tile, coalesced_group and grid_group.
#pragma once

#include "cusim/groups.h"

namespace cooperative_groups {

class thread_block;
class coalesced_group;
template <unsigned Size, class ParentT = void>
class thread_block_tile;

// Common type of groups, constructible from every group.
class thread_group {
   public:
    void sync(int site = __builtin_LINE()) const;
    unsigned long long num_threads() const;
    unsigned long long size() const { return num_threads(); }
    unsigned long long thread_rank() const;

   protected:
    enum class Kind : unsigned char { block, lanes, grid };
    friend thread_group tiled_partition(const thread_group& parent, unsigned size);

    explicit CUSIM_INLINE thread_group(Kind kind) : kind_(kind) {}
    CUSIM_INLINE thread_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
        : kind_(Kind::lanes), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

    Kind kind_;
    unsigned mask_ = 0;  // warp lanes, for a group within one warp
    unsigned meta_rank_ = 0, meta_size_ = 1;
};

class thread_block : public thread_group {
   public:
    static CUSIM_INLINE void sync(int site = __builtin_LINE()) {
        // Lines are negative here, to distinguish them from sites of __syncthreads().
        cusim_barrier(-1 - site);
    }
    static CUSIM_INLINE unsigned num_threads() { return cusim::groups::block_size(); }
    static CUSIM_INLINE unsigned size() { return num_threads(); }
    static CUSIM_INLINE unsigned thread_rank() { return cusim_rank; }
    static CUSIM_INLINE dim3 group_index() { return dim3(blockIdx); }
    static CUSIM_INLINE dim3 thread_index() { return dim3(threadIdx); }
    static CUSIM_INLINE dim3 group_dim() { return blockDim; }
    static CUSIM_INLINE dim3 dim_threads() { return blockDim; }

    template <class T = void>
    int barrier_arrive() const {
        static_assert(!std::is_void<T>::value,
                      "thread_block::barrier_arrive is not supported by cudasim: use sync(), or a "
                      "cuda::barrier in shared memory");
        return 0;
    }

   private:
    friend thread_block this_thread_block();
    CUSIM_INLINE thread_block() : thread_group(Kind::block) {}
};

CUSIM_INLINE thread_block this_thread_block() { return thread_block(); }

template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    static_assert(MaxBlockSize == 0,
                  "block_tile_memory is not supported by cudasim: tiles have at most 32 threads");
};

class grid_group : public thread_group {
   public:
    static CUSIM_INLINE bool is_valid() { return cusim_is_cooperative(); }
    static CUSIM_INLINE void sync(int site = __builtin_LINE()) { cusim_grid_sync(site); }
    static CUSIM_INLINE unsigned long long num_blocks() {
        return 1ull * gridDim.x * gridDim.y * gridDim.z;
    }
    static CUSIM_INLINE unsigned long long block_rank() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static CUSIM_INLINE unsigned long long num_threads() {
        return num_blocks() * cusim::groups::block_size();
    }
    static CUSIM_INLINE unsigned long long size() { return num_threads(); }
    static CUSIM_INLINE unsigned long long thread_rank() {
        return block_rank() * cusim::groups::block_size() + cusim_rank;
    }
    static CUSIM_INLINE dim3 block_index() { return dim3(blockIdx); }
    static CUSIM_INLINE dim3 group_dim() { return gridDim; }
    static CUSIM_INLINE dim3 dim_blocks() { return gridDim; }

   private:
    friend grid_group this_grid();
    CUSIM_INLINE grid_group() : thread_group(Kind::grid) {}
};

CUSIM_INLINE grid_group this_grid() { return grid_group(); }

CUSIM_INLINE void thread_group::sync(int site) const {
    if (kind_ == Kind::block) {
        thread_block::sync(site);
    } else if (kind_ == Kind::grid) {
        grid_group::sync(site);
    } else {
        cusim_warp(CUSIM_SYNC, mask_, 0, 0, 32, site);
    }
}
CUSIM_INLINE unsigned long long thread_group::num_threads() const {
    return kind_ == Kind::block  ? thread_block::num_threads()
           : kind_ == Kind::grid ? grid_group::num_threads()
                                 : cusim::groups::count(mask_);
}
CUSIM_INLINE unsigned long long thread_group::thread_rank() const {
    return kind_ == Kind::block  ? thread_block::thread_rank()
           : kind_ == Kind::grid ? grid_group::thread_rank()
                                 : cusim::groups::rank_in(mask_);
}

// Threads of one warp, in any pattern.
class coalesced_group : public thread_group {
   public:
    CUSIM_INLINE void sync(int site = __builtin_LINE()) const {
        cusim_warp(CUSIM_SYNC, mask_, 0, 0, 32, site);
    }
    CUSIM_INLINE unsigned num_threads() const { return cusim::groups::count(mask_); }
    CUSIM_INLINE unsigned size() const { return num_threads(); }
    CUSIM_INLINE unsigned thread_rank() const { return cusim::groups::rank_in(mask_); }
    CUSIM_INLINE unsigned meta_group_size() const { return meta_size_; }
    CUSIM_INLINE unsigned meta_group_rank() const { return meta_rank_; }

    template <class T>
    CUSIM_INLINE T shfl(T value, unsigned rank, int site = __builtin_LINE()) const {
        return from_rank(value, rank, site);
    }
    template <class T>
    CUSIM_INLINE T shfl_up(T value, unsigned delta, int site = __builtin_LINE()) const {
        const unsigned rank = thread_rank();
        return from_rank(value, rank >= delta ? rank - delta : rank, site);
    }
    template <class T>
    CUSIM_INLINE T shfl_down(T value, unsigned delta, int site = __builtin_LINE()) const {
        const unsigned rank = thread_rank();
        return from_rank(value, delta < size() - rank ? rank + delta : rank, site);
    }

    CUSIM_INLINE int any(int predicate, int site = __builtin_LINE()) const {
        return static_cast<int>(cusim::groups::vote(CUSIM_ANY, mask_, predicate != 0, site));
    }
    CUSIM_INLINE int all(int predicate, int site = __builtin_LINE()) const {
        return static_cast<int>(cusim::groups::vote(CUSIM_ALL, mask_, predicate != 0, site));
    }
    CUSIM_INLINE unsigned ballot(int predicate, int site = __builtin_LINE()) const {
        return cusim::groups::pack(
            mask_, cusim::groups::vote(CUSIM_BALLOT, mask_, predicate != 0, site));
    }
    template <class T>
    CUSIM_INLINE unsigned match_any(T value, int site = __builtin_LINE()) const {
        return cusim::groups::pack(
            mask_, cusim::groups::vote(CUSIM_MATCH_ANY, mask_, cusim::to_bits(value), site));
    }
    template <class T>
    CUSIM_INLINE unsigned match_all(T value, int& predicate, int site = __builtin_LINE()) const {
        const unsigned same =
            cusim::groups::vote(CUSIM_MATCH_ALL, mask_, cusim::to_bits(value), site);
        predicate = same != 0;
        return cusim::groups::pack(mask_, same);
    }

   private:
    friend struct cusim_access;
    friend coalesced_group coalesced_threads(int site);
    friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);

    CUSIM_INLINE coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(mask, meta_rank, meta_size) {}

    template <class T>
    CUSIM_INLINE T from_rank(const T& value, unsigned rank, int site) const {
        const int source = cusim::groups::lane_of(mask_, rank);
        T result = cusim::groups::shuffle(CUSIM_SHFL_IDX, mask_, value, source, 32, site);
        if (source < 0) {
            // No such rank exists: the result is undefined, and set to a conspicuous value.
            std::memset(static_cast<void*>(&result), 0xff, sizeof(T));
        }
        return result;
    }
};

CUSIM_INLINE coalesced_group coalesced_threads(int site = __builtin_LINE()) {
    return coalesced_group(cusim_active(site));
}

// A tile of compile-time size; the parent is part of the type.
template <unsigned Size>
class thread_block_tile<Size, void> : public thread_group {
    static_assert(Size <= 32,
                  "thread_block_tile of more than 32 threads is not supported by cudasim: use a "
                  "tile of 32 and shared memory");
    static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
    static constexpr int width = static_cast<int>(Size);

   public:
    CUSIM_INLINE void sync(int site = __builtin_LINE()) const {
        cusim_warp(CUSIM_SYNC, mask_, 0, 0, 32, site);
    }
    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static CUSIM_INLINE unsigned thread_rank() { return cusim_rank & (Size - 1); }
    CUSIM_INLINE unsigned meta_group_size() const { return meta_size_; }
    CUSIM_INLINE unsigned meta_group_rank() const { return meta_rank_; }

    template <class T>
    CUSIM_INLINE T shfl(T value, int rank, int site = __builtin_LINE()) const {
        return cusim::groups::shuffle(CUSIM_SHFL_IDX, mask_, value, rank, width, site);
    }
    template <class T>
    CUSIM_INLINE T shfl_up(T value, unsigned delta, int site = __builtin_LINE()) const {
        return cusim::groups::shuffle(CUSIM_SHFL_UP, mask_, value, static_cast<int>(delta), width,
                                      site);
    }
    template <class T>
    CUSIM_INLINE T shfl_down(T value, unsigned delta, int site = __builtin_LINE()) const {
        return cusim::groups::shuffle(CUSIM_SHFL_DOWN, mask_, value, static_cast<int>(delta), width,
                                      site);
    }
    template <class T>
    CUSIM_INLINE T shfl_xor(T value, unsigned ranks, int site = __builtin_LINE()) const {
        return cusim::groups::shuffle(CUSIM_SHFL_XOR, mask_, value, static_cast<int>(ranks), width,
                                      site);
    }

    CUSIM_INLINE int any(int predicate, int site = __builtin_LINE()) const {
        return static_cast<int>(cusim::groups::vote(CUSIM_ANY, mask_, predicate != 0, site));
    }
    CUSIM_INLINE int all(int predicate, int site = __builtin_LINE()) const {
        return static_cast<int>(cusim::groups::vote(CUSIM_ALL, mask_, predicate != 0, site));
    }
    CUSIM_INLINE unsigned ballot(int predicate, int site = __builtin_LINE()) const {
        return shifted(cusim::groups::vote(CUSIM_BALLOT, mask_, predicate != 0, site));
    }
    template <class T>
    CUSIM_INLINE unsigned match_any(T value, int site = __builtin_LINE()) const {
        return shifted(cusim::groups::vote(CUSIM_MATCH_ANY, mask_, cusim::to_bits(value), site));
    }
    template <class T>
    CUSIM_INLINE unsigned match_all(T value, int& predicate, int site = __builtin_LINE()) const {
        const unsigned same =
            cusim::groups::vote(CUSIM_MATCH_ALL, mask_, cusim::to_bits(value), site);
        predicate = same != 0;
        return shifted(same);
    }

   protected:
    friend struct cusim_access;
    CUSIM_INLINE thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : thread_group((cusim::groups::full_mask >> (32 - Size)) << first_lane(), meta_rank,
                       meta_size) {}

   private:
    static CUSIM_INLINE unsigned first_lane() { return cusim_rank & 31 & ~(Size - 1); }
    static CUSIM_INLINE unsigned shifted(unsigned bits) { return bits >> first_lane(); }
};

template <unsigned Size, class ParentT>
class thread_block_tile : public thread_block_tile<Size, void> {
    friend struct cusim_access;
    using thread_block_tile<Size, void>::thread_block_tile;
};

// Access to the internals of groups, for the surrounding functions.
struct cusim_access : thread_group {
    static CUSIM_INLINE unsigned mask(const thread_group& group) {
        return group.*(&cusim_access::mask_);
    }
    static CUSIM_INLINE coalesced_group lanes(unsigned mask) { return coalesced_group(mask); }
    template <class Tile>
    static CUSIM_INLINE Tile tile(unsigned meta_rank, unsigned meta_size) {
        return Tile(meta_rank, meta_size);
    }
};

}  // namespace cooperative_groups

#include "cusim/groups_partition.h"
