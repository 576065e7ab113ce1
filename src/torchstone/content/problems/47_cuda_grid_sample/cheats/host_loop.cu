// verdict: OOB
// en: The host walks over pointers of the device; nothing is launched.
// zh: 让主机直接遍历设备指针，根本不启动核函数。
#include <cuda_runtime.h>

#include <cmath>

static float position_of(float g, int size, int align) {
    return align ? (g + 1.0f) / 2.0f * (size - 1) : ((g + 1.0f) * size - 1.0f) / 2.0f;
}

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    if (N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < 0 ||
        padding_mode > 2) {
        return cudaErrorInvalidValue;
    }
    cudaStreamSynchronize(stream);
    const long long view = 1LL * Ho * Wo;
    for (long long i = 0; i < N * view; i++) {
        const float x = position_of(grid[2 * i], W, align_corners);
        const float y = position_of(grid[2 * i + 1], H, align_corners);
        const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
        for (int c = 0; c < C; c++) {
            const long long plane = i / view * C + c;
            float sum = 0.0f;
            for (int k = 0; k < 4; k++) {
                const int row = top + k / 2, column = left + k % 2;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                    sum += (1.0f - std::fabs(x - column)) * (1.0f - std::fabs(y - row)) *
                           input[(plane * H + row) * W + column];
                }
            }
            out[plane * view + i % view] = sum;
        }
    }
    return cudaSuccess;
}

extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream) {
    if (N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < 0 ||
        padding_mode > 2) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}
