// What a submission defines. It is included before the submission, so that a function of another
// type is told at once.
#pragma once

#include <cuda_runtime.h>

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream);
