// style: a list in local memory, shifted for each nearer point; the tile is an array of float3
#include <cuda_runtime.h>
#include <math_constants.h>

// A query each; as many points to a tile.
constexpr int num_threads = 64;
constexpr int most_neighbours = 32;

__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float3 tile[num_threads];
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_queries = query_len ? query_len[b] : M;
    const int num_points = ref_len ? ref_len[b] : N;
    const bool has_query = m < num_queries;
    const float* const q = query + (b * M + m) * 3;
    const float x = has_query ? q[0] : 0.0f;
    const float y = has_query ? q[1] : 0.0f;
    const float z = has_query ? q[2] : 0.0f;
    float best[most_neighbours];
    int best_idx[most_neighbours];
    for (int k = 0; k < K; k++) {
        best[k] = CUDART_INF_F;
        best_idx[k] = -1;
    }
    for (int begin = 0; begin < num_points; begin += num_threads) {
        const int i = begin + threadIdx.x;
        if (i < num_points) {
            const float* const r = ref + (b * N + i) * 3;
            tile[threadIdx.x] = make_float3(r[0], r[1], r[2]);
        }
        __syncthreads();
        const int count = min(num_threads, num_points - begin);
        for (int t = 0; has_query && t < count; t++) {
            const float dx = x - tile[t].x, dy = y - tile[t].y, dz = z - tile[t].z;
            const float d = dx * dx + dy * dy + dz * dz;
            if (d < best[K - 1]) {
                int k = K - 1;
                for (; k > 0 && best[k - 1] > d; k--) {
                    best[k] = best[k - 1];
                    best_idx[k] = best_idx[k - 1];
                }
                best[k] = d;
                best_idx[k] = begin + t;
            }
        }
        __syncthreads();
    }
    if (m < M) {
        for (int k = 0; k < K; k++) {
            dist[(b * M + m) * K + k] = best[k];
            idx[(b * M + m) * K + k] = best_idx[k];
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
