// Calls the LayerNorm kernels for the types and widths that there are.
#include "layer_norm.cuh"

#include <algorithm>

namespace {

using namespace torchstone::cuda;

// As in csrc/kernels.h.
enum class Type : int { float32, bfloat16, float16, float64 };

// How a row is given to the threads of a block.
struct Plan {
    int per_pack, num_packs, num_threads;
};

constexpr int most_threads = 1024;

bool is_aligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 16 == 0; }

// The fewest packs for each thread that a block of at most 1024 threads can do with.
Plan plan_for(int64_t width, int64_t bytes, bool is_aligned) {
    const int most = static_cast<int>(16 / bytes);
    const int per_pack = is_aligned && width % most == 0 ? most : 1;
    const int64_t packs = (width + per_pack - 1) / per_pack;
    for (const int num_packs : {1, 4, 16}) {
        const int64_t threads = (packs + num_packs - 1) / num_packs;
        if (threads <= most_threads) {
            return {per_pack, num_packs, static_cast<int>((threads + 31) / 32 * 32)};
        }
    }
    return {0, 0, 0};
}

// Calls function(T, P), a number of the input's type and one of the parameters'.
template <typename Function>
cudaError_t with_types(Type type, bool has_float_parameters, Function function) {
    switch (type) {
        case Type::float32: return function(float{}, float{});
        case Type::float64: return function(double{}, double{});
        case Type::bfloat16:
            return has_float_parameters ? function(__nv_bfloat16{}, float{})
                                        : function(__nv_bfloat16{}, __nv_bfloat16{});
        case Type::float16:
            return has_float_parameters ? function(__half{}, float{})
                                        : function(__half{}, __half{});
    }
    return cudaErrorInvalidValue;
}

template <int value>
struct Constant {};

// Calls function(Constant<per_pack>, Constant<num_packs>).
template <typename T, typename Function>
cudaError_t with_plan(const Plan& plan, Function function) {
    constexpr int most = 16 / sizeof(T);
    const auto with_pack = [&](auto per_pack) {
        switch (plan.num_packs) {
            case 1: return function(per_pack, Constant<1>{});
            case 4: return function(per_pack, Constant<4>{});
            case 16: return function(per_pack, Constant<16>{});
        }
        return cudaErrorInvalidConfiguration;
    };
    return plan.per_pack == 1 ? with_pack(Constant<1>{}) : with_pack(Constant<most>{});
}

}  // namespace

// Writes out, mean and rstd of (rows, width); weight and bias may be null.
extern "C" cudaError_t torchstone_layer_norm(int type, int has_float_parameters, const void* input,
                                             const void* weight, const void* bias, void* out,
                                             void* mean, void* rstd, int64_t rows, int64_t width,
                                             double eps, cudaStream_t stream) {
    return with_types(static_cast<Type>(type), has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        const Plan plan = plan_for(width, sizeof(T), is_aligned(input) && is_aligned(out));
        return with_plan<T>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
                                                                   Constant<num_packs>) {
            layer_norm_kernel<T, P, per_pack, num_packs>
                <<<static_cast<unsigned>(rows), plan.num_threads, 0, stream>>>(
                    static_cast<const T*>(input), static_cast<const P*>(weight),
                    static_cast<const P*>(bias), static_cast<T*>(out),
                    static_cast<Compute<T>*>(mean), static_cast<Compute<T>*>(rstd),
                    static_cast<int>(width), eps);
            return cudaGetLastError();
        });
    });
}

// Writes grad_input of (rows, width) and, unless they are null, grad_weight and grad_bias of
// (width). `parts` is scratch memory for 2 * num_parts * width numbers.
extern "C" cudaError_t torchstone_layer_norm_backward(
    int type, int has_float_parameters, const void* grad, const void* input, const void* weight,
    const void* mean, const void* rstd, void* grad_input, void* grad_weight, void* grad_bias,
    void* parts, int64_t num_parts, int64_t rows, int64_t width, cudaStream_t stream) {
    return with_types(static_cast<Type>(type), has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        using Number = Compute<T>;
        const bool aligned = is_aligned(grad) && is_aligned(input) && is_aligned(grad_input);
        const Plan plan = plan_for(width, sizeof(T), aligned);
        const int64_t height = (rows + num_parts - 1) / num_parts;
        const bool has_sums = grad_weight != nullptr;
        Number* const of_weight = has_sums ? static_cast<Number*>(parts) : nullptr;
        Number* const of_bias = has_sums ? of_weight + num_parts * width : nullptr;
        const cudaError_t error =
            with_plan<T>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
                                                                Constant<num_packs>) {
                layer_norm_backward_kernel<T, P, per_pack, num_packs>
                    <<<static_cast<unsigned>(num_parts), plan.num_threads, 0, stream>>>(
                        static_cast<const T*>(grad), static_cast<const T*>(input),
                        static_cast<const P*>(weight), static_cast<const Number*>(mean),
                        static_cast<const Number*>(rstd), static_cast<T*>(grad_input), of_weight,
                        of_bias, rows, static_cast<int>(width), height);
                return cudaGetLastError();
            });
        if (error != cudaSuccess || !has_sums) {
            return error;
        }
        const unsigned num_blocks = static_cast<unsigned>((width + warp_size - 1) / warp_size);
        const int num_threads = 256;
        for (const bool is_weight : {true, false}) {
            sum_parts_kernel<P, Number><<<num_blocks, num_threads, 0, stream>>>(
                is_weight ? of_weight : of_bias,
                static_cast<P*>(is_weight ? grad_weight : grad_bias),
                static_cast<int>(num_parts), static_cast<int>(width));
        }
        return cudaGetLastError();
    });
}
