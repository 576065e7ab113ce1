// style: a box around every tile; a query that the whole box is too far from skips the tile
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

constexpr int num_threads = 128, tile_size = 32;

struct Lists {
    float dist[32];
    int idx[32];
};

__device__ void insert(Lists& lists, int K, float d, int i) {
    if (!(d < lists.dist[K - 1])) {
        return;
    }
    int k = K - 1;
    for (; k > 0 && d < lists.dist[k - 1]; k--) {
        lists.dist[k] = lists.dist[k - 1];
        lists.idx[k] = lists.idx[k - 1];
    }
    lists.dist[k] = d;
    lists.idx[k] = i;
}

__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float tile[tile_size][3];
    __shared__ float low[3], high[3];
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_points = ref_len ? ref_len[b] : N;
    const bool has_query = m < (query_len ? query_len[b] : M);
    float q[3] = {0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 3; c++) {
        q[c] = has_query ? query[(static_cast<size_t>(b) * M + m) * 3 + c] : 0.0f;
    }
    Lists lists;
    for (int k = 0; k < K; k++) {
        lists.dist[k] = CUDART_INF_F;
        lists.idx[k] = -1;
    }
    for (int base = 0; base < num_points; base += tile_size) {
        const int count = min(tile_size, num_points - base);
        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
            tile[i / 3][i % 3] = ref[(static_cast<size_t>(b) * N + base) * 3 + i];
        }
        __syncthreads();
        if (threadIdx.x < 3) {
            float least = CUDART_INF_F, most = -CUDART_INF_F;
            for (int i = 0; i < count; i++) {
                least = fminf(least, tile[i][threadIdx.x]);
                most = fmaxf(most, tile[i][threadIdx.x]);
            }
            low[threadIdx.x] = least;
            high[threadIdx.x] = most;
        }
        __syncthreads();
        float bound = 0.0f;
        for (int c = 0; c < 3; c++) {
            const float gap = fmaxf(fmaxf(low[c] - q[c], q[c] - high[c]), 0.0f);
            bound += gap * gap;
        }
        // Each step of the bound rounds like that of a distance: it is never above the nearest.
        if (has_query && bound < lists.dist[K - 1]) {
            for (int i = 0; i < count; i++) {
                float d = 0.0f;
                for (int c = 0; c < 3; c++) {
                    const float difference = q[c] - tile[i][c];
                    d += difference * difference;
                }
                insert(lists, K, d, base + i);
            }
        }
        __syncthreads();
    }
    for (int k = 0; m < M && k < K; k++) {
        dist[(static_cast<size_t>(b) * M + m) * K + k] = lists.dist[k];
        idx[(static_cast<size_t>(b) * M + m) * K + k] = lists.idx[k];
    }
}

}  // namespace

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) {
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
