// style: distance and index in one 64-bit key, so that one comparison orders both
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int num_threads = 64, tile_size = 256;
using Key = unsigned long long;
// Infinity, and an index that reads as -1.
constexpr Key nothing = 0x7f800000ffffffffULL;

// A distance is not negative, and the bits of such floats are ordered like the floats themselves.
__device__ Key key_of(float d, int i) {
    return static_cast<Key>(__float_as_uint(d)) << 32 | static_cast<uint32_t>(i);
}

__device__ void insert(Key* keys, int K, Key key) {
    if (key >= keys[K - 1]) {
        return;
    }
    int k = K - 1;
    while (k > 0 && key < keys[k - 1]) {
        keys[k] = keys[k - 1];
        k--;
    }
    keys[k] = key;
}

__global__ void knn_kernel(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float tile[3][tile_size];
    const int b = blockIdx.y, m = blockIdx.x * num_threads + threadIdx.x;
    const int num_points = ref_len ? ref_len[b] : N;
    const bool is_real = m < (query_len ? query_len[b] : M);
    float q[3] = {};
    for (int c = 0; is_real && c < 3; c++) {
        q[c] = query[(size_t(b) * M + m) * 3 + c];
    }
    Key keys[32];
    for (int k = 0; k < K; k++) {
        keys[k] = nothing;
    }
    for (int base = 0; base < num_points; base += tile_size) {
        const int count = min(tile_size, num_points - base);
        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
            tile[i % 3][i / 3] = ref[(size_t(b) * N + base) * 3 + i];
        }
        __syncthreads();
        if (is_real) {
            for (int i = 0; i < count; i++) {
                float d = 0.0f;
                for (int c = 0; c < 3; c++) {
                    d += (q[c] - tile[c][i]) * (q[c] - tile[c][i]);
                }
                insert(keys, K, key_of(d, base + i));
            }
        }
        __syncthreads();
    }
    if (m < M) {
        for (int k = 0; k < K; k++) {
            const size_t at = (size_t(b) * M + m) * K + k;
            dist[at] = __uint_as_float(static_cast<uint32_t>(keys[k] >> 32));
            idx[at] = static_cast<int>(static_cast<uint32_t>(keys[k]));
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
    const dim3 grid((M + num_threads - 1) / num_threads, B);
    knn_kernel<<<grid, num_threads, 0, stream>>>(query, ref, query_len, ref_len, M, N, K, dist,
                                                 idx);
    return cudaGetLastError();
}
