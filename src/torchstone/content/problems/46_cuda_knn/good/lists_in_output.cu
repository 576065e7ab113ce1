// style: the lists are the output itself; a first kernel fills it with "nothing found"
#include <cuda_runtime.h>
#include <math_constants.h>

#define BLOCK 128

static __global__ void nothing_found(float* dist, int* idx, long long n) {
    const long long step = (long long)gridDim.x * BLOCK;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        dist[i] = CUDART_INF_F;
        idx[i] = -1;
    }
}

static __global__ void search(const float* query, const float* ref, const int* query_len,
                              const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float tile[3 * BLOCK];
    const int b = blockIdx.y, m = blockIdx.x * BLOCK + threadIdx.x;
    const int end = ref_len ? ref_len[b] : N;
    const bool is_active = m < (query_len ? query_len[b] : M);
    const long long row = (long long)b * M + m;
    float* const near = dist + row * K;
    int* const place = idx + row * K;
    // All that most points need of the list is kept out of memory.
    float worst = CUDART_INF_F;
    double x = 0, y = 0, z = 0;
    if (is_active) {
        x = query[3 * row], y = query[3 * row + 1], z = query[3 * row + 2];
    }
    for (int base = 0; base < end; base += BLOCK) {
        const int count = min(BLOCK, end - base);
        for (int i = threadIdx.x; i < 3 * count; i += BLOCK)
            tile[i] = ref[3 * ((long long)b * N + base) + i];
        __syncthreads();
        for (int i = 0; is_active && i < count; i++) {
            const double dx = x - tile[3 * i], dy = y - tile[3 * i + 1], dz = z - tile[3 * i + 2];
            const float d = static_cast<float>(dx * dx + dy * dy + dz * dz);
            if (d >= worst) continue;
            int k = K - 1;
            while (k > 0 && near[k - 1] > d) {
                near[k] = near[k - 1];
                place[k] = place[k - 1];
                k--;
            }
            near[k] = d;
            place[k] = base + i;
            worst = near[K - 1];
        }
        __syncthreads();
    }
}

extern "C" cudaError_t knn(const float* query, const float* ref, const int* query_len,
                           const int* ref_len, int B, int M, int N, int K, float* dist, int* idx,
                           cudaStream_t stream) {
    if (B < 0 || M < 0 || N < 0 || K < 1 || K > 32) return cudaErrorInvalidValue;
    if (B == 0 || M == 0) return cudaSuccess;
    const long long n = (long long)B * M * K;
    const unsigned num_blocks = static_cast<unsigned>(min((n + BLOCK - 1) / BLOCK, 1024LL));
    nothing_found<<<num_blocks, BLOCK, 0, stream>>>(dist, idx, n);
    search<<<dim3((M + BLOCK - 1) / BLOCK, B), BLOCK, 0, stream>>>(query, ref, query_len, ref_len,
                                                                   M, N, K, dist, idx);
    return cudaGetLastError();
}
