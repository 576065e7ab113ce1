// style: points padded to 16 bytes in shared memory, so that one load brings all of a point
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int num_threads = 128;

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

    __device__ void insert(float d, int i) {
        if (d >= dist[size - 1]) {
            return;
        }
        dist[size - 1] = d;
        idx[size - 1] = i;
#pragma unroll
        for (int k = size - 1; k > 0; k--) {
            const bool is_nearer = dist[k] < dist[k - 1];
            const float near = is_nearer ? dist[k] : dist[k - 1];
            const float far = is_nearer ? dist[k - 1] : dist[k];
            const int near_idx = is_nearer ? idx[k] : idx[k - 1];
            const int far_idx = is_nearer ? idx[k - 1] : idx[k];
            dist[k - 1] = near;
            dist[k] = far;
            idx[k - 1] = near_idx;
            idx[k] = far_idx;
        }
    }
};

template <int size>
__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float4 tile[num_threads];
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_points = ref_len ? ref_len[b] : N;
    const bool has_query = m < (query_len ? query_len[b] : M);
    const size_t row = static_cast<size_t>(b) * M + m;
    float4 q = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (has_query) {
        q = make_float4(query[3 * row], query[3 * row + 1], query[3 * row + 2], 0.0f);
    }
    Nearest<size> nearest;
    for (int begin = 0; begin < num_points; begin += num_threads) {
        const int count = min(num_threads, num_points - begin);
        if (threadIdx.x < count) {
            const float* const r = ref + (static_cast<size_t>(b) * N + begin + threadIdx.x) * 3;
            tile[threadIdx.x] = make_float4(r[0], r[1], r[2], 0.0f);
        }
        __syncthreads();
        if (has_query) {
            for (int i = 0; i < count; i++) {
                const float4 r = tile[i];
                const float x = q.x - r.x, y = q.y - r.y, z = q.z - r.z;
                nearest.insert(x * x + y * y + z * z, begin + i);
            }
        }
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
    if (K <= 8) {
        knn_kernel<8><<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K,
                                                        dist, idx);
    } else {
        knn_kernel<32><<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K,
                                                         dist, idx);
    }
    return cudaGetLastError();
}
