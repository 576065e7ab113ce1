// style: a warp for each query; every lane keeps a list of its own points, the warp merges them
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

constexpr unsigned full = 0xffffffffu;
constexpr unsigned nothing = 0xffffffffu;  // as an index, -1
constexpr int num_warps = 16, num_threads = 32 * num_warps, tile_size = 256;

// A lane's points come by ascending index, so an equal one stays behind.
__device__ void insert(float* near, unsigned* place, int K, float d, unsigned i) {
    if (d < near[K - 1]) {
        int k = K - 1;
        for (; k > 0 && near[k - 1] > d; k--) {
            near[k] = near[k - 1];
            place[k] = place[k - 1];
        }
        near[k] = d;
        place[k] = i;
    }
}

__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float tile[3 * tile_size];
    const int lane = threadIdx.x % 32, b = blockIdx.y;
    const int m = blockIdx.x * num_warps + threadIdx.x / 32;
    const int num_points = ref_len ? ref_len[b] : N;
    // The same for a whole warp.
    const bool has_query = m < (query_len ? query_len[b] : M);
    const float* const q = query + (static_cast<size_t>(b) * M + m) * 3;
    const float qx = has_query ? q[0] : 0, qy = has_query ? q[1] : 0, qz = has_query ? q[2] : 0;

    float near[32];
    unsigned place[32];
    for (int k = 0; k < K; k++) {
        near[k] = CUDART_INF_F;
        place[k] = nothing;
    }
    for (int base = 0; base < num_points; base += tile_size) {
        const int count = min(tile_size, num_points - base);
        const float* const from = ref + (static_cast<size_t>(b) * N + base) * 3;
        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
            tile[i] = from[i];
        }
        __syncthreads();
        for (int i = lane; has_query && i < count; i += 32) {
            const float x = qx - tile[3 * i], y = qy - tile[3 * i + 1], z = qz - tile[3 * i + 2];
            insert(near, place, K, x * x + y * y + z * z, base + i);
        }
        __syncthreads();
    }
    if (m >= M) {
        return;
    }
    // K times the first of 32 sorted lists goes out. Distances are not negative, so that they are
    // ordered like their bits; of equal ones the smallest index is the first.
    int head = 0;
    for (int k = 0; k < K; k++) {
        const unsigned bits = __float_as_uint(head < K ? near[head] : CUDART_INF_F);
        const unsigned i = head < K ? place[head] : nothing;
        const unsigned first_bits = __reduce_min_sync(full, bits);
        const unsigned first = __reduce_min_sync(full, bits == first_bits ? i : nothing);
        if (first != nothing && i == first) {
            head++;
        }
        if (lane == 0) {
            const size_t at = (static_cast<size_t>(b) * M + m) * K + k;
            dist[at] = __uint_as_float(first_bits);
            idx[at] = static_cast<int>(first);
        }
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
    const dim3 grid((M + num_warps - 1) / num_warps, B);
    knn_kernel<<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K, dist,
                                                 idx);
    return cudaGetLastError();
}
