// A thread takes a sample: it reads the grid once and walks over the channels. Backward, the four
// corners are added to by atomics; the gradient of the grid stays in registers.
#include <cuda_runtime.h>

namespace {

constexpr int num_threads = 256;
// A card runs a few thousand blocks at once; the loops walk over whatever is left.
constexpr long long most_blocks = 8192;

enum Padding { zeros = 0, border = 1, reflection = 2 };

struct Shape {
    int N, C, H, W, Ho, Wo, padding;
    bool align;

    __host__ __device__ long long num_samples() const { return 1LL * N * Ho * Wo; }
};

// A position along one axis, in pixels, and its derivative with respect to the grid's number.
struct Place {
    float position, slope;
};

__device__ Place reflect(float position, float slope, float low, float span) {
    // Far points bounce many times: the way from the lower mirror repeats every two spans.
    const float way = fmodf(fabsf(position - low), 2.0f * span);
    const bool is_below = position < low, is_returning = way > span;
    return {low + (is_returning ? 2.0f * span - way : way),
            is_below != is_returning ? -slope : slope};
}

__device__ Place locate(float g, int size, const Shape& shape) {
    // From -1 to 1 it is `span` pixels: between the centres of the first and the last pixel, or
    // between their outer edges.
    const float span = static_cast<float>(shape.align ? size - 1 : size);
    const float low = shape.align ? 0.0f : -0.5f;
    const float last = static_cast<float>(size - 1);
    Place place = {(g + 1.0f) * 0.5f * span + low, 0.5f * span};
    if (shape.padding == zeros) {
        // Tested as floats, since what is NaN or too large has no int. -2 has no corner inside.
        const bool has_corner = place.position >= -1.0f && place.position < last + 1.0f;
        return has_corner ? place : Place{-2.0f, 0.0f};
    }
    if (shape.padding == reflection) {
        if (span == 0.0f || !isfinite(place.position)) {
            return {0.0f, 0.0f};
        }
        place = reflect(place.position, place.slope, low, span);
    }
    // At the edge itself the derivative counts as 0 already; NaN is not above 0.
    if (!(place.position > 0.0f)) {
        return {0.0f, 0.0f};
    }
    return place.position < last ? place : Place{last, 0.0f};
}

// The four corners around a sample: 0 and 1 above, 2 and 3 below.
struct Corners {
    int offset[4];  // inside a plane; -1 for what lies outside
    float weight[4];
    float by_x[4], by_y[4];  // derivatives of the weights with respect to the grid's numbers
};

__device__ Corners find_corners(const float* grid, long long sample, const Shape& shape) {
    const Place x = locate(grid[2 * sample], shape.W, shape);
    const Place y = locate(grid[2 * sample + 1], shape.H, shape);
    const float left = floorf(x.position), top = floorf(y.position);
    const int first_column = static_cast<int>(left), first_row = static_cast<int>(top);
    const float right_part = x.position - left, lower_part = y.position - top;
    Corners corners;
    for (int k = 0; k < 4; k++) {
        const int is_right = k & 1, is_lower = k >> 1;
        const int column = first_column + is_right, row = first_row + is_lower;
        const bool is_inside = column >= 0 && column < shape.W && row >= 0 && row < shape.H;
        const float along_x = is_right ? right_part : 1.0f - right_part;
        const float along_y = is_lower ? lower_part : 1.0f - lower_part;
        corners.offset[k] = is_inside ? row * shape.W + column : -1;
        corners.weight[k] = along_x * along_y;
        corners.by_x[k] = (is_right ? x.slope : -x.slope) * along_y;
        corners.by_y[k] = (is_lower ? y.slope : -y.slope) * along_x;
    }
    return corners;
}

__device__ long long first_index() {
    return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}
__device__ long long num_in_grid() { return gridDim.x * static_cast<long long>(blockDim.x); }

__global__ void forward_kernel(const float* input, const float* grid, float* out, Shape shape) {
    const size_t image = static_cast<size_t>(shape.H) * shape.W;
    const size_t view = static_cast<size_t>(shape.Ho) * shape.Wo;
    for (long long i = first_index(); i < shape.num_samples(); i += num_in_grid()) {
        const Corners corners = find_corners(grid, i, shape);
        const size_t n = i / view;
        for (int c = 0; c < shape.C; c++) {
            const size_t plane = n * shape.C + c;
            float sum = 0.0f;
            for (int k = 0; k < 4; k++) {
                if (corners.offset[k] >= 0) {
                    sum += corners.weight[k] * input[plane * image + corners.offset[k]];
                }
            }
            out[plane * view + i % view] = sum;
        }
    }
}

// Adds to grad_input, which is zeros, and overwrites grad_grid; either may be null.
__global__ void backward_kernel(const float* grad_out, const float* input, const float* grid,
                                float* grad_input, float* grad_grid, Shape shape) {
    const size_t image = static_cast<size_t>(shape.H) * shape.W;
    const size_t view = static_cast<size_t>(shape.Ho) * shape.Wo;
    for (long long i = first_index(); i < shape.num_samples(); i += num_in_grid()) {
        const Corners corners = find_corners(grid, i, shape);
        const size_t n = i / view;
        float grad_x = 0.0f, grad_y = 0.0f;
        for (int c = 0; c < shape.C; c++) {
            const size_t plane = n * shape.C + c;
            const float g = grad_out[plane * view + i % view];
            for (int k = 0; k < 4; k++) {
                if (corners.offset[k] < 0) {
                    continue;
                }
                const size_t pixel = plane * image + corners.offset[k];
                if (grad_input) {
                    atomicAdd(&grad_input[pixel], corners.weight[k] * g);
                }
                if (grad_grid) {
                    grad_x += corners.by_x[k] * input[pixel] * g;
                    grad_y += corners.by_y[k] * input[pixel] * g;
                }
            }
        }
        if (grad_grid) {
            grad_grid[2 * i] = grad_x;
            grad_grid[2 * i + 1] = grad_y;
        }
    }
}

bool is_valid(const Shape& shape) {
    const bool has_sizes = shape.N >= 0 && shape.C >= 0 && shape.H >= 1 && shape.W >= 1 &&
                           shape.Ho >= 0 && shape.Wo >= 0;
    return has_sizes && shape.padding >= zeros && shape.padding <= reflection;
}

unsigned num_blocks_for(const Shape& shape) {
    const long long blocks = (shape.num_samples() + num_threads - 1) / num_threads;
    return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
}

}  // namespace

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    const Shape shape = {N, C, H, W, Ho, Wo, padding_mode, align_corners != 0};
    if (!is_valid(shape)) {
        return cudaErrorInvalidValue;
    }
    if (shape.num_samples() == 0 || C == 0) {
        return cudaSuccess;
    }
    forward_kernel<<<num_blocks_for(shape), num_threads, 0, stream>>>(input, grid, out, shape);
    return cudaGetLastError();
}

extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream) {
    const Shape shape = {N, C, H, W, Ho, Wo, padding_mode, align_corners != 0};
    if (!is_valid(shape)) {
        return cudaErrorInvalidValue;
    }
    const size_t num_pixels = static_cast<size_t>(N) * C * H * W;
    if (grad_input && num_pixels > 0) {
        // Pixels that no sample touches are zeros as well, so this comes before any return.
        const size_t num_bytes = num_pixels * sizeof(float);
        const cudaError_t error = cudaMemsetAsync(grad_input, 0, num_bytes, stream);
        if (error != cudaSuccess) {
            return error;
        }
    }
    if (shape.num_samples() == 0 || C == 0 || !(grad_input || grad_grid)) {
        // A sum over no channels is 0.
        const size_t num_bytes = C == 0 ? 2 * shape.num_samples() * sizeof(float) : 0;
        return grad_grid && num_bytes ? cudaMemsetAsync(grad_grid, 0, num_bytes, stream)
                                      : cudaSuccess;
    }
    backward_kernel<<<num_blocks_for(shape), num_threads, 0, stream>>>(
        grad_out, input, grid, grad_input, grad_grid, shape);
    return cudaGetLastError();
}
