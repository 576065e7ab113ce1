#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

// A thread has one query; a tile has as many points as a block has threads.
constexpr int num_threads = 128;
constexpr int most_neighbours = 32;

// The nearest points so far, in ascending order. They stay in registers only if the compiler knows
// which element is meant wherever one is named: hence a template, and loops that are unrolled.
template <int size>
struct Nearest {
    float dist[size];
    int idx[size];

    __device__ Nearest() {
#pragma unroll
        for (int k = 0; k < size; k++) {
            dist[k] = CUDART_INF_F;
            idx[k] = -1;
        }
    }

    // Points come by ascending index. One that is only as near as another stays behind it, and one
    // that is only as near as the last stays outside.
    __device__ void insert(float new_dist, int new_idx) {
        if (!(new_dist < dist[size - 1])) {
            return;
        }
        dist[size - 1] = new_dist;
        idx[size - 1] = new_idx;
#pragma unroll
        for (int k = size - 1; k > 0; k--) {
            if (dist[k] < dist[k - 1]) {
                const float farther_dist = dist[k - 1];
                const int farther_idx = idx[k - 1];
                dist[k - 1] = dist[k];
                idx[k - 1] = idx[k];
                dist[k] = farther_dist;
                idx[k] = farther_idx;
            }
        }
    }
};

// From differences: far from the origin |q|^2 + |r|^2 - 2qr is noise.
__device__ float squared_distance(float3 q, const float* r) {
    const float x = q.x - r[0], y = q.y - r[1], z = q.z - r[2];
    return x * x + y * y + z * z;
}

template <int size>
__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float tile[3 * num_threads];
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_queries = query_len ? query_len[b] : M;
    const int num_points = ref_len ? ref_len[b] : N;
    const size_t row = static_cast<size_t>(b) * M + m;
    const float* const points = ref + static_cast<size_t>(b) * N * 3;

    // A thread without a query helps to load, and passes every barrier.
    const bool has_query = m < num_queries;
    float3 q = make_float3(0.0f, 0.0f, 0.0f);
    if (has_query) {
        q = make_float3(query[3 * row], query[3 * row + 1], query[3 * row + 2]);
    }
    Nearest<size> nearest;
    for (int begin = 0; begin < num_points; begin += num_threads) {
        const int count = min(num_threads, num_points - begin);
        // Float by float, so that neighbouring lanes read neighbouring addresses.
        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
            tile[i] = points[3 * begin + i];
        }
        __syncthreads();
        for (int i = 0; has_query && i < count; i++) {
            nearest.insert(squared_distance(q, tile + 3 * i), begin + i);
        }
        // Nobody may overwrite what another still reads.
        __syncthreads();
    }
    if (m < M) {
#pragma unroll
        for (int k = 0; k < size; k++) {
            if (k < K) {
                dist[row * K + k] = nearest.dist[k];
                idx[row * K + k] = nearest.idx[k];
            }
        }
    }
}

}  // namespace

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > most_neighbours) {
        return cudaErrorInvalidValue;
    }
    if (B == 0 || M == 0) {
        return cudaSuccess;
    }
    // A list that is a little too long costs less than a kernel for every K.
    const auto kernel = K <= 4    ? knn_kernel<4>
                        : K <= 8  ? knn_kernel<8>
                        : K <= 16 ? knn_kernel<16>
                                  : knn_kernel<most_neighbours>;
    const dim3 grid((M + num_threads - 1) / num_threads, B);
    kernel<<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K, dist, idx);
    return cudaGetLastError();
}
