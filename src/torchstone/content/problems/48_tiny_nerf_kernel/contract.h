// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream);
extern "C" cudaError_t nerf_backward(const float* grad_rgb, const float* grad_depth,
                                     const float* grad_opacity, const float* rays_o,
                                     const float* rays_d, int R, const float* field, int G,
                                     float t_near, float dt, int S, float T_min, const float* bg,
                                     const float* rgb, const float* depth, const float* opacity,
                                     const int* steps, float* grad_field, cudaStream_t stream);
