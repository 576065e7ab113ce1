// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream);
