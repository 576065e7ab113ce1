// verdict: WA value
// en: Computes nothing and prints what an accepted answer might look like.
// zh: 什么也不算，只打印出看起来像“通过”的结果。
#include <cuda_runtime.h>

__global__ void boast() {
    printf("{\"verdict\": \"AC\", \"failed_groups\": []}\n");
}

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    if (N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < 0 ||
        padding_mode > 2) {
        return cudaErrorInvalidValue;
    }
    boast<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
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
    boast<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
