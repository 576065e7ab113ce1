// Positions, weights and sums in double; only what is stored, or added atomically, is rounded.
#include <cuda_runtime.h>

struct Shape {
    int N, C, H, W, Ho, Wo, padding, align;
};

__device__ static double reflect(double position, double low, double span, double* slope) {
    const double way = fmod(fabs(position - low), 2.0 * span);
    if (position < low) {
        *slope = -*slope;
    }
    if (way > span) {
        *slope = -*slope;
        return low + 2.0 * span - way;
    }
    return low + way;
}

// Where g lies along an axis, in pixels, and by how much that moves with g.
__device__ static double locate(double g, int size, const Shape& s, double* slope) {
    const double span = s.align ? size - 1 : size, low = s.align ? 0.0 : -0.5;
    const double last = size - 1;
    double position = (g + 1.0) * 0.5 * span + low;
    *slope = 0.5 * span;
    if (s.padding == 0) {
        if (position >= -1.0 && position < size) {
            return position;
        }
        *slope = 0.0;
        return -2.0;  // no corner inside
    }
    if (s.padding == 2 && (span == 0.0 || !isfinite(position))) {
        *slope = 0.0;
        return 0.0;
    }
    if (s.padding == 2) {
        position = reflect(position, low, span, slope);
    }
    if (position <= 0.0 || isnan(position)) {
        *slope = 0.0;
        return 0.0;
    }
    if (position >= last) {
        *slope = 0.0;
        return last;
    }
    return position;
}

__device__ static bool is_inside(int row, int column, const Shape& s) {
    return row >= 0 && row < s.H && column >= 0 && column < s.W;
}

__global__ void forward_kernel(const float* input, const float* grid, float* out, Shape s) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
    if (i >= s.N * view) {
        return;
    }
    double slope_x, slope_y;
    const double x = locate(grid[2 * i], s.W, s, &slope_x);
    const double y = locate(grid[2 * i + 1], s.H, s, &slope_y);
    const int left = static_cast<int>(floor(x)), top = static_cast<int>(floor(y));
    for (int c = 0; c < s.C; c++) {
        const long long plane = i / view * s.C + c;
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            const int row = top + k / 2, column = left + k % 2;
            if (is_inside(row, column, s)) {
                const double weight = (1.0 - fabs(x - column)) * (1.0 - fabs(y - row));
                sum += weight * input[plane * image + row * s.W + column];
            }
        }
        out[plane * view + i % view] = static_cast<float>(sum);
    }
}

__global__ void backward_kernel(const float* grad_out, const float* input, const float* grid,
                                float* grad_input, float* grad_grid, Shape s) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
    if (i >= s.N * view) {
        return;
    }
    double slope_x, slope_y, grad_x = 0.0, grad_y = 0.0;
    const double x = locate(grid[2 * i], s.W, s, &slope_x);
    const double y = locate(grid[2 * i + 1], s.H, s, &slope_y);
    const int left = static_cast<int>(floor(x)), top = static_cast<int>(floor(y));
    for (int c = 0; c < s.C; c++) {
        const long long plane = i / view * s.C + c;
        const float g = grad_out[plane * view + i % view];
        for (int k = 0; k < 4; k++) {
            const int row = top + k / 2, column = left + k % 2;
            if (!is_inside(row, column, s)) {
                continue;
            }
            const long long pixel = plane * image + row * s.W + column;
            const double along_x = 1.0 - fabs(x - column), along_y = 1.0 - fabs(y - row);
            if (grad_input) {
                atomicAdd(&grad_input[pixel], static_cast<float>(along_x * along_y * g));
            }
            grad_x += (column > x ? slope_x : -slope_x) * along_y * input[pixel] * g;
            grad_y += (row > y ? slope_y : -slope_y) * along_x * input[pixel] * g;
        }
    }
    if (grad_grid) {
        grad_grid[2 * i] = static_cast<float>(grad_x);
        grad_grid[2 * i + 1] = static_cast<float>(grad_y);
    }
}

static bool is_valid(const Shape& s) {
    const bool has_sizes = s.N >= 0 && s.C >= 0 && s.H > 0 && s.W > 0 && s.Ho >= 0 && s.Wo >= 0;
    return has_sizes && s.padding >= 0 && s.padding <= 2;
}

static unsigned num_blocks_for(long long num_threads) {
    return static_cast<unsigned>((num_threads + 255) / 256);
}

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    const Shape s = {N, C, H, W, Ho, Wo, padding_mode, align_corners};
    if (!is_valid(s)) {
        return cudaErrorInvalidValue;
    }
    const long long num_samples = 1LL * N * Ho * Wo;
    if (num_samples == 0 || C == 0) {
        return cudaSuccess;
    }
    forward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(input, grid, out, s);
    return cudaGetLastError();
}

extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream) {
    const Shape s = {N, C, H, W, Ho, Wo, padding_mode, align_corners};
    if (!is_valid(s)) {
        return cudaErrorInvalidValue;
    }
    const size_t num_pixels = size_t(N) * C * H * W;
    if (grad_input && num_pixels > 0) {
        cudaMemsetAsync(grad_input, 0, num_pixels * sizeof(float), stream);
    }
    const long long num_samples = 1LL * N * Ho * Wo;
    if (num_samples > 0 && C > 0) {
        backward_kernel<<<num_blocks_for(num_samples), 256, 0, stream>>>(
            grad_out, input, grid, grad_input, grad_grid, s);
    }
    return cudaGetLastError();
}
