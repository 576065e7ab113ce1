// verdict: SLOW
// group: perf
// en: Every query needs every point: what a block should share are the points.
// zh: 每个查询都要用到每个点：线程块该共享的是点，而不只是列表。
#include <cuda_runtime.h>
#include <math_constants.h>

// A query each.
constexpr int num_threads = 64;
constexpr int most_neighbours = 32;

__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_queries = query_len ? query_len[b] : M;
    const int num_points = ref_len ? ref_len[b] : N;
    const bool has_query = m < num_queries;
    const float* const q = query + (b * M + m) * 3;
    const float x = has_query ? q[0] : 0.0f;
    const float y = has_query ? q[1] : 0.0f;
    const float z = has_query ? q[2] : 0.0f;
    // The lists are shared, the points are not.
    __shared__ float lists[most_neighbours][num_threads];
    __shared__ int lists_idx[most_neighbours][num_threads];
    for (int k = 0; k < K; k++) {
        lists[k][threadIdx.x] = CUDART_INF_F;
        lists_idx[k][threadIdx.x] = -1;
    }
    for (int i = 0; has_query && i < num_points; i++) {
        const float* const r = ref + (b * N + i) * 3;
        const float dx = x - r[0], dy = y - r[1], dz = z - r[2];
        const float d = dx * dx + dy * dy + dz * dz;
        if (d < lists[K - 1][threadIdx.x]) {
            int k = K - 1;
            for (; k > 0 && lists[k - 1][threadIdx.x] > d; k--) {
                lists[k][threadIdx.x] = lists[k - 1][threadIdx.x];
                lists_idx[k][threadIdx.x] = lists_idx[k - 1][threadIdx.x];
            }
            lists[k][threadIdx.x] = d;
            lists_idx[k][threadIdx.x] = i;
        }
    }
    if (m < M) {
        for (int k = 0; k < K; k++) {
            dist[(b * M + m) * K + k] = lists[k][threadIdx.x];
            idx[(b * M + m) * K + k] = lists_idx[k][threadIdx.x];
        }
    }
}

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > most_neighbours) {
        return cudaErrorInvalidValue;
    }
    if (B == 0 || M == 0) {
        return cudaSuccess;
    }
    const dim3 grid((M + num_threads - 1) / num_threads, B);
    knn_kernel<<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K, dist,
                                                 idx);
    return cudaGetLastError();
}
