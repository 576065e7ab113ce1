// Launches the kernels of GELU with a bias for all types and widths.
#include "bias_gelu.cuh"

#include <algorithm>

#include "launch.cuh"

using namespace torchstone::cuda;

namespace {

// Rows per thread in forward: enough to amortize the load of its bias.
constexpr int64_t least_height = 4;
// Maximum y dimension of a grid.
constexpr int64_t most_parts = 65535;

// A block of threads along the row, and enough blocks to cover it, for each part.
struct Grid {
    dim3 blocks;
    int num_threads;
};

Grid grid_for(int64_t width, int per_pack, int64_t num_parts) {
    const int64_t packs = width / per_pack;
    const int64_t threads = std::min<int64_t>(256, divide_up(packs, warp_size) * warp_size);
    const unsigned blocks = static_cast<unsigned>(divide_up(packs, threads));
    return {dim3(blocks, static_cast<unsigned>(num_parts)), static_cast<int>(threads)};
}

}  // namespace

// Writes gelu(input + bias) of (rows, width); bias may be null.
extern "C" cudaError_t torchstone_bias_gelu(int type, int has_float_parameters, const void* input,
                                            const void* bias, void* out, int64_t rows,
                                            int64_t width, cudaStream_t stream) {
    return with_types(type, has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        const int64_t height = std::max(least_height, divide_up(rows, most_parts));
        const int pack = per_pack_of<T>(width, is_aligned(input) && is_aligned(out));
        const Grid grid = grid_for(width, pack, divide_up(rows, height));
        return with_pack<T>(pack, [&]<int per_pack>(Constant<per_pack>) {
            bias_gelu_kernel<T, P, per_pack><<<grid.blocks, grid.num_threads, 0, stream>>>(
                static_cast<const T*>(input), static_cast<const P*>(bias), static_cast<T*>(out),
                rows, width, height);
            return cudaGetLastError();
        });
    });
}

// Writes grad_input of (rows, width) and, unless it is null, grad_bias of (width). `parts` is
// scratch memory for num_parts * width elements; num_parts is at most 65535.
extern "C" cudaError_t torchstone_bias_gelu_backward(int type, int has_float_parameters,
                                                     const void* grad, const void* input,
                                                     const void* bias, void* grad_input,
                                                     void* grad_bias, void* parts,
                                                     int64_t num_parts, int64_t rows,
                                                     int64_t width, cudaStream_t stream) {
    return with_types(type, has_float_parameters, [&](auto t, auto p) {
        using T = decltype(t);
        using P = decltype(p);
        using Number = Compute<T>;
        Number* const of_bias = grad_bias != nullptr ? static_cast<Number*>(parts) : nullptr;
        const bool aligned = is_aligned(grad) && is_aligned(input) && is_aligned(grad_input);
        const int pack = per_pack_of<T>(width, aligned);
        const Grid grid = grid_for(width, pack, num_parts);
        const cudaError_t error = with_pack<T>(pack, [&]<int per_pack>(Constant<per_pack>) {
            bias_gelu_backward_kernel<T, P, per_pack>
                <<<grid.blocks, grid.num_threads, 0, stream>>>(
                    static_cast<const T*>(grad), static_cast<const T*>(input),
                    static_cast<const P*>(bias), static_cast<T*>(grad_input), of_bias, rows, width,
                    divide_up(rows, num_parts));
            return cudaGetLastError();
        });
        if (error != cudaSuccess || of_bias == nullptr) {
            return error;
        }
        sum_parts<P>(of_bias, grad_bias, num_parts, width, stream);
        return cudaGetLastError();
    });
}
