// Building blocks of the kernels: types, packs, block reductions, rows in registers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace torchstone::cuda {

// Half types are computed in float, each result rounded once.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
__device__ Compute<T> widen(T x) {
    return static_cast<Compute<T>>(x);
}
template <>
__device__ inline float widen(__half x) {
    return __half2float(x);
}
template <>
__device__ inline float widen(__nv_bfloat16 x) {
    return __bfloat162float(x);
}

template <typename T>
__device__ T narrow(Compute<T> x) {
    if constexpr (std::is_same_v<T, __half>) {
        return __float2half_rn(x);
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
        return __float2bfloat16_rn(x);
    } else {
        return x;
    }
}

// Elements loaded or stored by one instruction.
template <typename T, int count>
struct alignas(sizeof(T) * count) Pack {
    T values[count];
};

constexpr unsigned full_warp = 0xffffffffu;
constexpr int warp_size = 32, most_warps = 32;

// The maximum number of threads of a block that holds a row in registers. A multiprocessor has
// 65536 registers, so 64 for each of 1024 threads. Four packs of a half type are 32 elements, and
// backward needs four times as many, for the gradient and two sums: 512 threads. Wider rows do not
// stay in registers, and need all threads.
__host__ __device__ constexpr int most_threads_of(int bytes, int per_pack, int num_packs) {
    return bytes == 2 && per_pack * num_packs == 32 ? 512 : most_warps * warp_size;
}

template <typename Number>
struct Pair {
    Number first, second;
};

// Reduces the pairs of a block's threads, in any order; every thread gets the result. `none` is the
// neutral element. `shared` holds a pair per warp and may be reused at once, because each call has
// a barrier between its writes and reads, and another one at its start.
template <typename Number, typename Join>
__device__ Pair<Number> join_over_block(Pair<Number> pair, Pair<Number> none, Pair<Number>* shared,
                                        Join join) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const auto join_over_warp = [&](Pair<Number> one) {
        for (int offset = warp_size / 2; offset > 0; offset /= 2) {
            const Number first = __shfl_xor_sync(full_warp, one.first, offset);
            const Number second = __shfl_xor_sync(full_warp, one.second, offset);
            one = join(one, Pair<Number>{first, second});
        }
        return one;
    };
    pair = join_over_warp(pair);
    __syncthreads();
    if (lane == 0) {
        shared[warp].first = pair.first;
        shared[warp].second = pair.second;
    }
    __syncthreads();
    const int num_warps = blockDim.x / warp_size;
    if (lane < num_warps) {
        none.first = shared[lane].first;
        none.second = shared[lane].second;
    }
    return join_over_warp(none);
}

// Sums both components over a block.
template <typename Number>
__device__ Pair<Number> sum_over_block(Pair<Number> pair, Pair<Number>* shared) {
    return join_over_block(pair, Pair<Number>{0, 0}, shared,
                           [](Pair<Number> a, Pair<Number> b) -> Pair<Number> {
                               return {a.first + b.first, a.second + b.second};
                           });
}

// A block's view of rows: thread t holds the packs t, t + blockDim.x, and so on, in registers.
template <typename T, int per_pack, int num_packs>
struct Row {
    using Number = Compute<T>;
    Number values[num_packs][per_pack];

    __device__ static int column(int pack) { return (pack * blockDim.x + threadIdx.x) * per_pack; }

    __device__ void load(const T* from, int width) {
#pragma unroll
        for (int p = 0; p < num_packs; p++) {
            if (column(p) < width) {
                const auto pack = *reinterpret_cast<const Pack<T, per_pack>*>(from + column(p));
#pragma unroll
                for (int i = 0; i < per_pack; i++) {
                    values[p][i] = widen(pack.values[i]);
                }
            } else {
#pragma unroll
                for (int i = 0; i < per_pack; i++) {
                    values[p][i] = 0;
                }
            }
        }
    }

    __device__ void store(T* to, int width) const {
#pragma unroll
        for (int p = 0; p < num_packs; p++) {
            if (column(p) < width) {
                Pack<T, per_pack> pack;
#pragma unroll
                for (int i = 0; i < per_pack; i++) {
                    pack.values[i] = narrow<T>(values[p][i]);
                }
                *reinterpret_cast<Pack<T, per_pack>*>(to + column(p)) = pack;
            }
        }
    }

    template <typename Step>
    __device__ static void for_each(int width, Step step) {
#pragma unroll
        for (int p = 0; p < num_packs; p++) {
            if (column(p) < width) {
#pragma unroll
                for (int i = 0; i < per_pack; i++) {
                    step(p, i, column(p) + i);
                }
            }
        }
    }
};

// Adds the rows of `parts` by column: a warp's lanes are columns, so that each load is contiguous,
// and the warps of a block share the rows.
template <typename P, typename Number>
__global__ void sum_parts_kernel(const Number* parts, P* total, int num_parts, int width) {
    __shared__ Number shared[most_warps][warp_size];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int column = blockIdx.x * warp_size + lane, num_warps = blockDim.x / warp_size;
    Number sum = 0;
    for (int part = warp; column < width && part < num_parts; part += num_warps) {
        sum += parts[static_cast<int64_t>(part) * width + column];
    }
    shared[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && column < width) {
        for (int other = 1; other < num_warps; other++) {
            sum += shared[other][lane];
        }
        total[column] = narrow<P>(sum);
    }
}

}  // namespace torchstone::cuda
