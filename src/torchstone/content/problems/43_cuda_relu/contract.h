// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t relu_forward(const float* x, float* y, long long n, cudaStream_t stream);
extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,
                                     long long n, cudaStream_t stream);
