// style: three blocks walk over all queries; dynamic shared memory for the tile and for the lists
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <math_constants.h>

namespace cg = cooperative_groups;

constexpr unsigned num_threads = 64, num_blocks = 3, tile_size = 192;

// Behind the tile every thread has K distances and K indices, one lane beside the other.
static size_t shared_bytes(int K) {
    return tile_size * sizeof(float3) + num_threads * K * (sizeof(float) + sizeof(int));
}

__global__ void walk(const float* query, const float* ref, const int* query_len,
                     const int* ref_len, int B, int M, int N, int K, float* dist, int* idx) {
    extern __shared__ float3 tile[];
    float* const near = reinterpret_cast<float*>(tile + tile_size) + threadIdx.x;
    int* const place = reinterpret_cast<int*>(near + num_threads * K);
    const cg::thread_block block = cg::this_thread_block();
    const int steps = (M + num_threads - 1) / num_threads;

    for (int item = blockIdx.x; item < B * steps; item += gridDim.x) {
        const int b = item / steps, m = item % steps * num_threads + block.thread_rank();
        const int num_points = ref_len ? ref_len[b] : N;
        const bool is_real = m < (query_len ? query_len[b] : M);
        const float* const own = query + (static_cast<size_t>(b) * M + (is_real ? m : 0)) * 3;
        const float x = own[0], y = own[1], z = own[2];
        for (int k = 0; k < K; k++) {
            near[k * num_threads] = CUDART_INF_F;
            place[k * num_threads] = -1;
        }
        for (int base = 0; base < num_points; base += tile_size) {
            for (int i = threadIdx.x; i < tile_size && base + i < num_points; i += num_threads) {
                const float* const r = ref + (static_cast<size_t>(b) * N + base + i) * 3;
                tile[i] = float3{r[0], r[1], r[2]};
            }
            block.sync();
            const int count = is_real ? min(static_cast<int>(tile_size), num_points - base) : 0;
            for (int i = 0; i < count; i++) {
                const float3 r = tile[i];
                const float d = (x - r.x) * (x - r.x) + (y - r.y) * (y - r.y) +
                                (z - r.z) * (z - r.z);
                int k = K;
                while (k > 0 && near[(k - 1) * num_threads] > d) {
                    k--;
                    if (k + 1 < K) {
                        near[(k + 1) * num_threads] = near[k * num_threads];
                        place[(k + 1) * num_threads] = place[k * num_threads];
                    }
                }
                if (k < K) {
                    near[k * num_threads] = d;
                    place[k * num_threads] = base + i;
                }
            }
            block.sync();
        }
        for (int k = 0; m < M && k < K; k++) {
            dist[(static_cast<size_t>(b) * M + m) * K + k] = near[k * num_threads];
            idx[(static_cast<size_t>(b) * M + m) * K + k] = place[k * num_threads];
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
    walk<<<num_blocks, num_threads, shared_bytes(K), stream>>>(query, ref, query_len, ref_len, B, M,
                                                               N, K, dist, idx);
    return cudaGetLastError();
}
