// Dispatch of launch functions by type, and by packs and threads per row.
#pragma once

#include <initializer_list>

#include "rows.cuh"

namespace torchstone::cuda {

// As in csrc/kernels.h.
enum class Type : int { float32, bfloat16, float16, float64 };

// Distribution of a row over the threads of a block.
struct Plan {
    int per_pack, num_packs, num_threads;
};

template <int value>
struct Constant {};

inline bool is_aligned(const void* memory) {
    return reinterpret_cast<uintptr_t>(memory) % 16 == 0;
}

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Elements per 16 bytes, if rows are aligned to 16 bytes.
template <typename T>
int per_pack_of(int64_t width, bool is_aligned) {
    constexpr int most = 16 / sizeof(T);
    return is_aligned && width % most == 0 ? most : 1;
}

// The smallest number of packs per thread, among the choices, with which one block covers a row;
// num_packs is 0 if the row is too wide.
template <typename T>
Plan plan_for(int64_t width, bool is_aligned, std::initializer_list<int> choices) {
    const int per_pack = per_pack_of<T>(width, is_aligned);
    const int64_t packs = divide_up(width, per_pack);
    for (const int num_packs : choices) {
        const int64_t threads = divide_up(packs, num_packs);
        if (threads <= most_threads_of(sizeof(T), per_pack, num_packs)) {
            return {per_pack, num_packs, static_cast<int>(divide_up(threads, 32) * 32)};
        }
    }
    return {per_pack, 0, 0};
}

// Calls function(T), with a value of the input's type.
template <typename Function>
cudaError_t with_type(int type, Function function) {
    switch (static_cast<Type>(type)) {
        case Type::float32: return function(float{});
        case Type::float64: return function(double{});
        case Type::bfloat16: return function(__nv_bfloat16{});
        case Type::float16: return function(__half{});
    }
    return cudaErrorInvalidValue;
}

// Calls function(T, P), with values of the input's and the parameters' types.
template <typename Function>
cudaError_t with_types(int type, bool has_float_parameters, Function function) {
    return with_type(type, [&](auto t) {
        if constexpr (sizeof(t) == 2) {
            if (has_float_parameters) return function(t, float{});
        }
        return function(t, t);
    });
}

// Calls function(Constant<per_pack>).
template <typename T, typename Function>
cudaError_t with_pack(int per_pack, Function function) {
    return per_pack == 1 ? function(Constant<1>{}) : function(Constant<16 / sizeof(T)>{});
}

// Calls function(Constant<per_pack>, Constant<num_packs>); num_packs is one of the choices.
template <typename T, int... choices, typename Function>
cudaError_t with_plan(const Plan& plan, Function function) {
    return with_pack<T>(plan.per_pack, [&](auto per_pack) {
        cudaError_t error = cudaErrorInvalidConfiguration;
        ((plan.num_packs == choices ? void(error = function(per_pack, Constant<choices>{}))
                                    : void()),
         ...);
        return error;
    });
}

// Adds the rows of `parts` to one.
template <typename P, typename Number>
void sum_parts(const Number* parts, void* total, int64_t num_parts, int64_t width,
               cudaStream_t stream) {
    const int num_threads = 256;
    sum_parts_kernel<P><<<static_cast<unsigned>(divide_up(width, warp_size)), num_threads, 0,
                          stream>>>(parts, static_cast<P*>(total), static_cast<int>(num_parts),
                                    static_cast<int>(width));
}

}  // namespace torchstone::cuda
