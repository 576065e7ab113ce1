// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t gs_project(const float* means, const float* scales, const float* quats,
                                  const float* view, float fx, float fy, float cx, float cy, int N,
                                  float* xy, float* depth, float* conic, float* radius,
                                  cudaStream_t stream);
extern "C" cudaError_t gs_forward(const float* xy, const float* depth, const float* conic,
                                  const float* radius, const float* opacity, const float* color,
                                  const float* bg, int N, int W, int H, float* image,
                                  float* final_T, int* n_last, int* order, cudaStream_t stream);
extern "C" cudaError_t gs_backward(const float* grad_image, const float* xy, const float* conic,
                                   const float* radius, const float* opacity, const float* color,
                                   const float* bg, const int* order, const float* final_T,
                                   const int* n_last, int N, int W, int H, float* grad_xy,
                                   float* grad_conic, float* grad_opacity, float* grad_color,
                                   cudaStream_t stream);
