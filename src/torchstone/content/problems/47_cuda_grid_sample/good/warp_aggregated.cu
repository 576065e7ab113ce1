// Neighbours of a warp that lie in the same cell add up by shuffles first; the first of each run
// makes the atomic operations for all.
#include <cuda_runtime.h>

struct Shape {
    int N, C, H, W, Ho, Wo, padding, align;
};

__device__ static float reflect(float position, float low, float span, float* slope) {
    const float way = fmodf(fabsf(position - low), 2.0f * span);
    if (position < low) {
        *slope = -*slope;
    }
    if (way > span) {
        *slope = -*slope;
        return low + 2.0f * span - way;
    }
    return low + way;
}

// Where g lies along an axis, in pixels, and by how much that moves with g.
__device__ static float locate(float g, int size, const Shape& s, float* slope) {
    const float span = s.align ? size - 1 : size, low = s.align ? 0.0f : -0.5f;
    const float last = size - 1;
    float position = (g + 1.0f) * 0.5f * span + low;
    *slope = 0.5f * span;
    if (s.padding == 0) {
        if (position >= -1.0f && position < size) {
            return position;
        }
        *slope = 0.0f;
        return -2.0f;  // no corner inside
    }
    if (s.padding == 2 && (span == 0.0f || !isfinite(position))) {
        *slope = 0.0f;
        return 0.0f;
    }
    if (s.padding == 2) {
        position = reflect(position, low, span, slope);
    }
    if (position <= 0.0f || isnan(position)) {
        *slope = 0.0f;
        return 0.0f;
    }
    if (position >= last) {
        *slope = 0.0f;
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
    float slope_x, slope_y;
    const float x = locate(grid[2 * i], s.W, s, &slope_x);
    const float y = locate(grid[2 * i + 1], s.H, s, &slope_y);
    const int left = static_cast<int>(floorf(x)), top = static_cast<int>(floorf(y));
    for (int c = 0; c < s.C; c++) {
        const long long plane = i / view * s.C + c;
        float sum = 0.0f;
        for (int k = 0; k < 4; k++) {
            const int row = top + k / 2, column = left + k % 2;
            if (is_inside(row, column, s)) {
                const float weight = (1.0f - fabsf(x - column)) * (1.0f - fabsf(y - row));
                sum += weight * input[plane * image + row * s.W + column];
            }
        }
        out[plane * view + i % view] = sum;
    }
}

// The lanes of a run lie side by side. Adds up what is behind a lane in its run: the first has all.
__device__ static float sum_of_run(float value, int lane, int end) {
    for (int offset = 1; offset < 32; offset *= 2) {
        const float behind = __shfl_down_sync(0xffffffff, value, offset);
        value += lane + offset < end ? behind : 0.0f;
    }
    return value;
}

__global__ void backward_kernel(const float* grad_out, const float* input, const float* grid,
                                float* grad_input, float* grad_grid, Shape s) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const long long image = 1LL * s.H * s.W, view = 1LL * s.Ho * s.Wo;
    const bool is_sample = i < s.N * view;  // no return: every lane takes part in the shuffles
    const long long n = is_sample ? i / view : -1;
    float slope_x = 0.0f, slope_y = 0.0f, x = -2.0f, y = -2.0f;
    if (is_sample) {
        x = locate(grid[2 * i], s.W, s, &slope_x);
        y = locate(grid[2 * i + 1], s.H, s, &slope_y);
    }
    const int left = static_cast<int>(floorf(x)), top = static_cast<int>(floorf(y));
    // A run begins where the cell differs from that of the lane before, and ends at the next.
    const int lane = threadIdx.x % 32;
    const int left_before = __shfl_up_sync(0xffffffff, left, 1);
    const int top_before = __shfl_up_sync(0xffffffff, top, 1);
    const long long n_before = __shfl_up_sync(0xffffffff, n, 1);
    const bool is_first = lane == 0 || left != left_before || top != top_before || n != n_before;
    const unsigned firsts = __ballot_sync(0xffffffff, is_first);
    const unsigned later = lane == 31 ? 0 : firsts >> (lane + 1);
    const int end = later ? lane + __ffs(later) : 32;
    float grad_x = 0.0f, grad_y = 0.0f;
    for (int c = 0; c < s.C; c++) {
        const long long plane = n * s.C + c;
        const float g = is_sample ? grad_out[plane * view + i % view] : 0.0f;
        for (int k = 0; k < 4; k++) {
            const int row = top + k / 2, column = left + k % 2;
            const float along_x = 1.0f - fabsf(x - column), along_y = 1.0f - fabsf(y - row);
            const float sum = sum_of_run(along_x * along_y * g, lane, end);
            if (!is_sample || !is_inside(row, column, s)) {
                continue;
            }
            const long long pixel = plane * image + row * s.W + column;
            if (grad_input && is_first) {
                atomicAdd(&grad_input[pixel], sum);
            }
            grad_x += (column > x ? slope_x : -slope_x) * along_y * input[pixel] * g;
            grad_y += (row > y ? slope_y : -slope_y) * along_x * input[pixel] * g;
        }
    }
    if (grad_grid && is_sample) {
        grad_grid[2 * i] = grad_x;
        grad_grid[2 * i + 1] = grad_y;
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
