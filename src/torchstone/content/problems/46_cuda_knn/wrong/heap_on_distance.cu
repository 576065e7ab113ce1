// verdict: WA value
// group: ties
// en: A heap keeps no order among equals: compare (distance, index).
// zh: 堆不保持相等元素的次序：要按（距离，下标）比较。
#include <cuda_runtime.h>
#include <math_constants.h>

// A query each; as many points to a tile.
constexpr int num_threads = 64;
constexpr int most_neighbours = 32;

// The farthest is at the root; whatever is put there sinks to its place.
__device__ void sink(float* heap, int* heap_idx, int size) {
    const float d = heap[0];
    const int i = heap_idx[0];
    int at = 0;
    for (int child = 1; child < size; child = 2 * at + 1) {
        child += child + 1 < size && heap[child + 1] > heap[child];
        if (heap[child] <= d) {
            break;
        }
        heap[at] = heap[child];
        heap_idx[at] = heap_idx[child];
        at = child;
    }
    heap[at] = d;
    heap_idx[at] = i;
}

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
            if (d < best[0]) {
                best[0] = d;
                best_idx[0] = begin + t;
                sink(best, best_idx, K);
            }
        }
        __syncthreads();
    }
    for (int size = K - 1; size > 0; size--) {
        const float farthest = best[0];
        const int farthest_idx = best_idx[0];
        best[0] = best[size];
        best_idx[0] = best_idx[size];
        best[size] = farthest;
        best_idx[size] = farthest_idx;
        sink(best, best_idx, size);
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
