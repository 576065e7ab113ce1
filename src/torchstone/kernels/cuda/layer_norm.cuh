// LayerNorm on a GPU: a block for each row forward, a block for some rows backward.
//
// A row is read once. It stays in the registers of its block, for mean, variance and result; the
// reductions are shuffles within a warp and one exchange between the warps. Backward, each thread
// keeps the sums of its own columns over all rows of its block: no atomic operation, and the same
// bits every time.
//
// Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation 3; the gradients are derived in
// the handbook's chapter on LayerNorm.
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

// Numbers that are loaded or stored by one instruction.
template <typename T, int count>
struct alignas(sizeof(T) * count) Pack {
    T values[count];
};

constexpr unsigned full_warp = 0xffffffffu;
constexpr int warp_size = 32, most_warps = 32;

template <typename Number>
struct Pair {
    Number first, second;
};

// Adds both numbers over a block; every thread gets the sums. `shared` holds a pair for each warp
// and may be used again at once, for its first use ends with a barrier and its next begins with one.
template <typename Number>
__device__ Pair<Number> sum_over_block(Pair<Number> pair, Pair<Number>* shared) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
        pair.first += __shfl_xor_sync(full_warp, pair.first, offset);
        pair.second += __shfl_xor_sync(full_warp, pair.second, offset);
    }
    __syncthreads();
    if (lane == 0) {
        shared[warp].first = pair.first;
        shared[warp].second = pair.second;
    }
    __syncthreads();
    Pair<Number> total{0, 0};
    const int num_warps = blockDim.x / warp_size;
    if (lane < num_warps) {
        total.first = shared[lane].first;
        total.second = shared[lane].second;
    }
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
        total.first += __shfl_xor_sync(full_warp, total.first, offset);
        total.second += __shfl_xor_sync(full_warp, total.second, offset);
    }
    return total;
}

// A block's view of rows: thread t holds, in registers, the packs t, t + blockDim.x, and so on.
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

template <typename T, typename P, int per_pack, int num_packs>
__global__ void layer_norm_kernel(const T* input, const P* weight, const P* bias, T* out,
                                  Compute<T>* means, Compute<T>* rstds, int width, double eps) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    const int64_t row = blockIdx.x;
    OneRow x;
    x.load(input + row * width, width);
    Pair<Number> sums{0, 0};
    OneRow::for_each(width, [&](int p, int i, int) { sums.first += x.values[p][i]; });
    const Number mean = sum_over_block(sums, shared).first / width;
    // Centred: a mean that is large beside the deviation costs nothing.
    sums.first = 0;
    OneRow::for_each(width, [&](int p, int i, int) {
        x.values[p][i] -= mean;
        sums.first += x.values[p][i] * x.values[p][i];
    });
    const Number variance = sum_over_block(sums, shared).first / width;
    const Number rstd = 1 / sqrt(variance + static_cast<Number>(eps));
    OneRow::for_each(width, [&](int p, int i, int column) {
        Number y = x.values[p][i] * rstd;
        if (weight != nullptr) y *= widen(weight[column]);
        if (bias != nullptr) y += widen(bias[column]);
        x.values[p][i] = y;
    });
    x.store(out + row * width, width);
    if (threadIdx.x == 0) {
        means[row] = mean;
        rstds[row] = rstd;
    }
}

// Block b does the rows b * height and following. `of_weight` and `of_bias` have a row for each
// block, or are null.
template <typename T, typename P, int per_pack, int num_packs>
__global__ void layer_norm_backward_kernel(const T* grad, const T* input, const P* weight,
                                           const Compute<T>* means, const Compute<T>* rstds,
                                           T* grad_input, Compute<T>* of_weight,
                                           Compute<T>* of_bias, int64_t num_rows, int width,
                                           int64_t height) {
    using Number = Compute<T>;
    using OneRow = Row<T, per_pack, num_packs>;
    __shared__ Pair<Number> shared[most_warps];
    Number sum_of_weight[num_packs][per_pack] = {}, sum_of_bias[num_packs][per_pack] = {};
    const int64_t first = blockIdx.x * height;
    const int64_t last = first + height < num_rows ? first + height : num_rows;
    for (int64_t row = first; row < last; row++) {
        const Number mean = means[row], rstd = rstds[row];
        OneRow h, x;
        h.load(grad + row * width, width);
        x.load(input + row * width, width);
        Pair<Number> sums{0, 0};
        OneRow::for_each(width, [&](int p, int i, int column) {
            x.values[p][i] = (x.values[p][i] - mean) * rstd;
            const Number g = h.values[p][i];
            sum_of_weight[p][i] += g * x.values[p][i];
            sum_of_bias[p][i] += g;
            if (weight != nullptr) h.values[p][i] = g * widen(weight[column]);
            sums.first += h.values[p][i];
            sums.second += h.values[p][i] * x.values[p][i];
        });
        sums = sum_over_block(sums, shared);
        const Number alone = sums.first / width, along = sums.second / width;
        OneRow::for_each(width, [&](int p, int i, int) {
            h.values[p][i] = (h.values[p][i] - alone - x.values[p][i] * along) * rstd;
        });
        h.store(grad_input + row * width, width);
    }
    if (of_weight != nullptr) {
        const int64_t part = static_cast<int64_t>(blockIdx.x) * width;
        OneRow::for_each(width, [&](int p, int i, int column) {
            of_weight[part + column] = sum_of_weight[p][i];
            of_bias[part + column] = sum_of_bias[p][i];
        });
    }
}

// Adds the rows of `parts` column by column: a warp's lanes are columns, so that each load is of
// neighbours, and the warps of a block share the rows.
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
