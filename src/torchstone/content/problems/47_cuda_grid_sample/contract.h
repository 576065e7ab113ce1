// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream);
extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream);
