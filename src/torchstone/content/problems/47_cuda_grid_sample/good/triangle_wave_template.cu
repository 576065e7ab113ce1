// The modes are parameters of a template; the mirrors are a triangle wave; values are two lerps.
#include <cuda_runtime.h>

enum { zeros, border, reflection };

struct Axis {
    float at;     // pixels
    float slope;  // of `at` with respect to the grid's number; 0 where it does not move
};

template <int padding, bool align>
__device__ Axis axis_of(float g, int size) {
    const float last = static_cast<float>(size - 1);
    float at = align ? (g + 1.0f) / 2.0f * last : ((g + 1.0f) * size - 1.0f) / 2.0f;
    float slope = align ? last / 2.0f : size / 2.0f;
    if constexpr (padding == zeros) {
        return at > -1.5f && at < size + 0.5f ? Axis{at, slope} : Axis{-2.0f, 0.0f};
    }
    if constexpr (padding == reflection) {
        constexpr float low = align ? 0.0f : -0.5f;
        const float span = last - 2.0f * low;
        if (!(span > 0.0f) || !isfinite(at)) {
            return {0.0f, 0.0f};
        }
        // Up from 0 to span and down again, for positive and negative numbers alike.
        float phase = fmodf(at - low, 2.0f * span);
        phase += phase < 0.0f ? 2.0f * span : 0.0f;
        at = low + span - fabsf(phase - span);
        slope = phase > span ? -slope : slope;
    }
    const bool is_free = at > 0.0f && at < last;
    return {fminf(fmaxf(at, 0.0f), last), is_free ? slope : 0.0f};
}

struct Cell {
    int left, top, width, height;

    __device__ bool has(int k) const {
        const int column = left + (k & 1), row = top + (k >> 1);
        return column >= 0 && column < width && row >= 0 && row < height;
    }
    __device__ long long pixel(int k) const {
        return 1LL * (top + (k >> 1)) * width + left + (k & 1);
    }
};

__device__ float lerp(float a, float b, float part) { return fmaf(part, b - a, a); }

template <int padding, bool align>
__global__ void forward_kernel(const float* __restrict__ input, const float* __restrict__ grid,
                               float* __restrict__ out, int num_entries, int C, int H, int W,
                               int view) {
    const long long step = 1LL * gridDim.x * blockDim.x;
    for (long long i = 1LL * blockIdx.x * blockDim.x + threadIdx.x; i < 1LL * num_entries * view;
         i += step) {
        const Axis x = axis_of<padding, align>(__ldg(&grid[2 * i]), W);
        const Axis y = axis_of<padding, align>(__ldg(&grid[2 * i + 1]), H);
        const Cell cell = {static_cast<int>(floorf(x.at)), static_cast<int>(floorf(y.at)), W, H};
        const long long n = i / view;
        const float* plane = input + n * C * H * W;
        float* to = out + n * C * view + i % view;
        for (int c = 0; c < C; c++, plane += 1LL * H * W, to += view) {
            float v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                v[k] = cell.has(k) ? __ldg(&plane[cell.pixel(k)]) : 0.0f;
            }
            const float part = x.at - cell.left;
            *to = lerp(lerp(v[0], v[1], part), lerp(v[2], v[3], part), y.at - cell.top);
        }
    }
}

template <int padding, bool align>
__global__ void backward_kernel(const float* __restrict__ grad_out,
                                const float* __restrict__ input, const float* __restrict__ grid,
                                float* grad_input, float* grad_grid, int num_entries, int C, int H,
                                int W, int view) {
    const long long step = 1LL * gridDim.x * blockDim.x;
    for (long long i = 1LL * blockIdx.x * blockDim.x + threadIdx.x; i < 1LL * num_entries * view;
         i += step) {
        const Axis x = axis_of<padding, align>(__ldg(&grid[2 * i]), W);
        const Axis y = axis_of<padding, align>(__ldg(&grid[2 * i + 1]), H);
        const Cell cell = {static_cast<int>(floorf(x.at)), static_cast<int>(floorf(y.at)), W, H};
        const float right = x.at - cell.left, lower = y.at - cell.top;
        const float weights[4] = {(1 - right) * (1 - lower), right * (1 - lower),
                                  (1 - right) * lower, right * lower};
        const long long n = i / view;
        float by_x = 0.0f, by_y = 0.0f;
        for (int c = 0; c < C; c++) {
            const long long plane = (n * C + c) * H * W;
            const float g = grad_out[(n * C + c) * view + i % view];
            float v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                v[k] = cell.has(k) ? input[plane + cell.pixel(k)] : 0.0f;
                if (grad_input != nullptr && cell.has(k)) {
                    atomicAdd(grad_input + plane + cell.pixel(k), weights[k] * g);
                }
            }
            by_x += g * lerp(v[1] - v[0], v[3] - v[2], lower);
            by_y += g * lerp(v[2] - v[0], v[3] - v[1], right);
        }
        if (grad_grid != nullptr) {
            grad_grid[2 * i] = by_x * x.slope;
            grad_grid[2 * i + 1] = by_y * y.slope;
        }
    }
}

#define LAUNCH(kernel, padding, align, ...) \
    kernel<padding, align><<<num_blocks, 128, 0, stream>>>(__VA_ARGS__)
#define FOR_MODE(kernel, ...)                                       \
    switch (2 * padding_mode + (align_corners != 0)) {              \
        case 0: LAUNCH(kernel, zeros, false, __VA_ARGS__); break;      \
        case 1: LAUNCH(kernel, zeros, true, __VA_ARGS__); break;       \
        case 2: LAUNCH(kernel, border, false, __VA_ARGS__); break;     \
        case 3: LAUNCH(kernel, border, true, __VA_ARGS__); break;      \
        case 4: LAUNCH(kernel, reflection, false, __VA_ARGS__); break; \
        case 5: LAUNCH(kernel, reflection, true, __VA_ARGS__); break;  \
    }

static bool is_bad(int N, int C, int H, int W, int Ho, int Wo, int padding_mode) {
    return N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < zeros ||
           padding_mode > reflection;
}

static unsigned blocks_of(long long num_samples) {
    const long long blocks = (num_samples + 127) / 128;
    return static_cast<unsigned>(blocks < 1024 ? blocks : 1024);
}

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    if (is_bad(N, C, H, W, Ho, Wo, padding_mode)) {
        return cudaErrorInvalidValue;
    }
    const unsigned num_blocks = blocks_of(1LL * N * Ho * Wo);
    if (num_blocks == 0 || C == 0) {
        return cudaSuccess;
    }
    FOR_MODE(forward_kernel, input, grid, out, N, C, H, W, Ho * Wo)
    return cudaGetLastError();
}

extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream) {
    if (is_bad(N, C, H, W, Ho, Wo, padding_mode)) {
        return cudaErrorInvalidValue;
    }
    if (grad_input != nullptr) {
        cudaMemsetAsync(grad_input, 0, sizeof(float) * N * C * H * W, stream);
    }
    const unsigned num_blocks = blocks_of(1LL * N * Ho * Wo);
    if (num_blocks > 0 && C > 0) {
        FOR_MODE(backward_kernel, grad_out, input, grid, grad_input, grad_grid, N, C, H, W, Ho * Wo)
    }
    return cudaGetLastError();
}
