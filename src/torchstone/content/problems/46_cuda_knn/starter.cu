#include <cuda_runtime.h>

// For each query the K nearest points of ref[b], by ascending squared distance; equal distances by
// ascending index. Write a kernel and launch it on `stream`.
extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}
