// style: a max-heap of (distance, index) for each query, sorted at the end; blocks of 16 by 8
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

struct Entry {
    float dist;
    int idx;
    __device__ bool operator<(const Entry& other) const {
        return dist < other.dist || (dist == other.dist && idx < other.idx);
    }
};

struct Heap {
    Entry entries[32];
    int size = 0;

    __device__ void offer(Entry entry, int most) {
        if (size < most) {
            int at = size++;
            while (at > 0 && entries[(at - 1) / 2] < entry) {
                entries[at] = entries[(at - 1) / 2];
                at = (at - 1) / 2;
            }
            entries[at] = entry;
        } else if (entry < entries[0]) {
            sink(entry, size);
        }
    }

    // Puts an entry where the root was, and lets it sink below those that are farther.
    __device__ void sink(Entry entry, int end) {
        int at = 0;
        for (int child = 1; child < end; child = 2 * at + 1) {
            if (child + 1 < end && entries[child] < entries[child + 1]) {
                child++;
            }
            if (!(entry < entries[child])) {
                break;
            }
            entries[at] = entries[child];
            at = child;
        }
        entries[at] = entry;
    }

    __device__ void sort() {
        for (int end = size - 1; end > 0; end--) {
            const Entry farthest = entries[0], last = entries[end];
            sink(last, end);
            entries[end] = farthest;
        }
    }
};

constexpr int tile_size = 100;

__global__ void search(const float* query, const float* ref, const int* query_len,
                       const int* ref_len, int M, int N, int K, float* dist, int* idx) {
    __shared__ float3 tile[tile_size];
    const int num_threads = blockDim.x * blockDim.y;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int m = blockIdx.x * num_threads + thread, b = blockIdx.y;
    const float3* const points = reinterpret_cast<const float3*>(ref) + size_t(b) * N;
    const int num_points = ref_len ? ref_len[b] : N, num_queries = query_len ? query_len[b] : M;
    const float3 q = reinterpret_cast<const float3*>(query)[size_t(b) * M + min(m, M - 1)];
    Heap heap;
    for (int base = 0; base < num_points; base += tile_size) {
        const int count = min(tile_size, num_points - base);
        if (thread < count) {
            tile[thread] = points[base + thread];
        }
        __syncthreads();
        for (int i = 0; i < count && m < num_queries; i++) {
            const float x = q.x - tile[i].x, y = q.y - tile[i].y, z = q.z - tile[i].z;
            heap.offer({x * x + y * y + z * z, base + i}, K);
        }
        __syncthreads();
    }
    if (m >= M) {
        return;
    }
    heap.sort();
    for (int k = 0; k < K; k++) {
        const size_t at = (size_t(b) * M + m) * K + k;
        dist[at] = k < heap.size ? heap.entries[k].dist : CUDART_INF_F;
        idx[at] = k < heap.size ? heap.entries[k].idx : -1;
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
    search<<<dim3((M + 127) / 128, B), dim3(16, 8), 0, stream>>>(query, ref, query_len, ref_len, M,
                                                                 N, K, dist, idx);
    return cudaGetLastError();
}
