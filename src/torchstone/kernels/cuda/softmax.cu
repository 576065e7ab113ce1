// Launches the softmax kernels for all types and widths.
#include "softmax.cuh"

#include "launch.cuh"

using namespace torchstone::cuda;

namespace {

// A row too wide for the registers of a block is processed in chunks of register size.
template <typename T>
Plan plan_or_chunks(int64_t width, bool is_aligned) {
    const Plan plan = plan_for<T>(width, is_aligned, {1, 4});
    if (plan.num_packs > 0) return plan;
    return {plan.per_pack, 4, most_threads_of(sizeof(T), plan.per_pack, 4)};
}

}  // namespace

// Writes the softmax of each row of (rows, width).
extern "C" cudaError_t torchstone_softmax(int type, const void* input, void* out, int64_t rows,
                                          int64_t width, cudaStream_t stream) {
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        const Plan plan = plan_or_chunks<T>(width, is_aligned(input) && is_aligned(out));
        return with_plan<T, 1, 4>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
                                                                         Constant<num_packs>) {
            softmax_kernel<T, per_pack, num_packs>
                <<<static_cast<unsigned>(rows), plan.num_threads, 0, stream>>>(
                    static_cast<const T*>(input), static_cast<T*>(out), width);
            return cudaGetLastError();
        });
    });
}

// Writes the gradient of the input of each row.
extern "C" cudaError_t torchstone_softmax_backward(int type, const void* grad, const void* out,
                                                   void* grad_input, int64_t rows, int64_t width,
                                                   cudaStream_t stream) {
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        const bool aligned = is_aligned(grad) && is_aligned(out) && is_aligned(grad_input);
        const Plan plan = plan_or_chunks<T>(width, aligned);
        return with_plan<T, 1, 4>(plan, [&]<int per_pack, int num_packs>(Constant<per_pack>,
                                                                         Constant<num_packs>) {
            softmax_backward_kernel<T, per_pack, num_packs>
                <<<static_cast<unsigned>(rows), plan.num_threads, 0, stream>>>(
                    static_cast<const T*>(grad), static_cast<const T*>(out),
                    static_cast<T*>(grad_input), width);
            return cudaGetLastError();
        });
    });
}
