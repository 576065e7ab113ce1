// Launches the LayerNorm kernels for all types and widths.
#include "layer_norm.cuh"

#include "launch.cuh"

using namespace torchstone::cuda;

// Writes out, mean and rstd of (rows, width); weight and bias may be null.
extern "C" cudaError_t torchstone_layer_norm(int type, int has_float_parameters, const void* input,
                                             const void* weight, const void* bias, void* out,
                                             void* mean, void* rstd, int64_t rows, int64_t width,
                                             double eps, cudaStream_t stream) {
    return with_types(type, has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        const Plan plan = plan_for<T>(width, is_aligned(input) && is_aligned(out), {1, 4, 16});
        return with_plan<T, 1, 4, 16>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
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
// (width). `parts` is scratch memory for 2 * num_parts * width elements.
extern "C" cudaError_t torchstone_layer_norm_backward(
    int type, int has_float_parameters, const void* grad, const void* input, const void* weight,
    const void* mean, const void* rstd, void* grad_input, void* grad_weight, void* grad_bias,
    void* parts, int64_t num_parts, int64_t rows, int64_t width, cudaStream_t stream) {
    return with_types(type, has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        using Number = Compute<T>;
        const bool aligned = is_aligned(grad) && is_aligned(input) && is_aligned(grad_input);
        const Plan plan = plan_for<T>(width, aligned, {1, 4, 16});
        const int64_t height = divide_up(rows, num_parts);
        const bool has_sums = grad_weight != nullptr;
        Number* const of_weight = has_sums ? static_cast<Number*>(parts) : nullptr;
        Number* const of_bias = has_sums ? of_weight + num_parts * width : nullptr;
        const cudaError_t error =
            with_plan<T, 1, 4, 16>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
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
        sum_parts<P>(of_weight, grad_weight, num_parts, width, stream);
        sum_parts<P>(of_bias, grad_bias, num_parts, width, stream);
        return cudaGetLastError();
    });
}
