// style: a chain of compare-exchanges in registers, of the next power of two; clouds on the z axis
#include <cuda_runtime.h>
#include <math_constants.h>

#include <climits>

constexpr int block_size = 96, tile_size = 160;

template <int size>
__global__ void knn_of(const float* query, const float* ref, const int* query_len,
                       const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float xs[tile_size], ys[tile_size], zs[tile_size];
    const int b = blockIdx.z;
    const int m = blockIdx.x * block_size + threadIdx.x;
    const int last = ref_len == nullptr ? N : ref_len[b];
    const bool is_mine = m < (query_len == nullptr ? M : query_len[b]);
    const float* own = query + 3 * (static_cast<long long>(b) * M + (is_mine ? m : 0));
    const float qx = __ldg(own), qy = __ldg(own + 1), qz = __ldg(own + 2);

    float near[size];
    int place[size];
#pragma unroll
    for (int k = 0; k < size; k++) {
        near[k] = CUDART_INF_F;
        place[k] = INT_MAX;
    }
    for (int first = 0; first < last; first += tile_size) {
        for (int i = threadIdx.x; i < tile_size && first + i < last; i += block_size) {
            const float* r = ref + 3 * (static_cast<long long>(b) * N + first + i);
            xs[i] = r[0];
            ys[i] = r[1];
            zs[i] = r[2];
        }
        __syncthreads();
        const int end = is_mine ? min(tile_size, last - first) : 0;
        for (int i = 0; i < end; i++) {
            const float dx = qx - xs[i], dy = qy - ys[i], dz = qz - zs[i];
            float d = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
            int who = first + i;
            // Whoever comes first stays; the other walks on. Without a branch around it, so that
            // the lanes of a warp stay together.
#pragma unroll
            for (int k = 0; k < size; k++) {
                const bool goes_first = d < near[k] || (d == near[k] && who < place[k]);
                const float out = goes_first ? near[k] : d;
                const int out_who = goes_first ? place[k] : who;
                near[k] = goes_first ? d : near[k];
                place[k] = goes_first ? who : place[k];
                d = out;
                who = out_who;
            }
        }
        __syncthreads();
    }
    if (m < M) {
        const long long row = (static_cast<long long>(b) * M + m) * K;
#pragma unroll
        for (int k = 0; k < size; k++) {
            if (k < K) {
                dist[row + k] = near[k];
                idx[row + k] = place[k] == INT_MAX ? -1 : place[k];
            }
        }
    }
}

// Walks up to the first power of two that holds the list.
template <int size>
cudaError_t start(const float* query, const float* ref, const int* query_len, const int* ref_len,
                  int B, int M, int N, int K, float* dist, int* idx, cudaStream_t stream) {
    if constexpr (size < 32) {
        if (size < K) {
            return start<2 * size>(query, ref, query_len, ref_len, B, M, N, K, dist, idx, stream);
        }
    }
    knn_of<size><<<dim3((M + block_size - 1) / block_size, 1, B), block_size, 0, stream>>>(
        query, ref, query_len, ref_len, M, N, K, dist, idx);
    return cudaGetLastError();
}

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) return cudaErrorInvalidValue;
    if (B == 0 || M == 0) return cudaSuccess;
    return start<1>(query, ref, query_len, ref_len, B, M, N, K, dist, idx, stream);
}
