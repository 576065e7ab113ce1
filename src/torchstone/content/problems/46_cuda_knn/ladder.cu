// The versions of the editorial's ladder, numbered as there, on two clouds of 512 points.
// `torchstone cuda check ladder.cu --json` counts what they load, and nvcc says their registers.
#include <cuda_runtime.h>
#include <math_constants.h>

#include <cstdio>
#include <vector>

constexpr int num_threads = 128;

__device__ float squared(float x, float y, float z) { return x * x + y * y + z * z; }

// 1: the list in the output arrays.
__global__ void list_in_output(const float* query, const float* ref, int N, int K, float* dist,
                               int* idx) {
    const int m = blockIdx.x * num_threads + threadIdx.x;
    dist += m * K, idx += m * K, query += m * 3;
    for (int k = 0; k < K; k++) {
        dist[k] = CUDART_INF_F;
        idx[k] = -1;
    }
    for (int i = 0; i < N; i++) {
        const float* r = ref + 3 * i;
        const float d = squared(query[0] - r[0], query[1] - r[1], query[2] - r[2]);
        if (d < dist[K - 1]) {
            int k = K - 1;
            for (; k > 0 && d < dist[k - 1]; k--) {
                dist[k] = dist[k - 1];
                idx[k] = idx[k - 1];
            }
            dist[k] = d;
            idx[k] = i;
        }
    }
}

// 2: the list in a local array that is indexed at run time.
__global__ void local_list(const float* query, const float* ref, int N, int K, float* dist,
                           int* idx) {
    const int m = blockIdx.x * num_threads + threadIdx.x;
    float best[32];
    int place[32];
    for (int k = 0; k < K; k++) {
        best[k] = CUDART_INF_F;
        place[k] = -1;
    }
    const float x = query[3 * m], y = query[3 * m + 1], z = query[3 * m + 2];
    for (int i = 0; i < N; i++) {
        const float* r = ref + 3 * i;
        const float d = squared(x - r[0], y - r[1], z - r[2]);
        if (d < best[K - 1]) {
            int k = K - 1;
            for (; k > 0 && d < best[k - 1]; k--) {
                best[k] = best[k - 1];
                place[k] = place[k - 1];
            }
            best[k] = d;
            place[k] = i;
        }
    }
    for (int k = 0; k < K; k++) {
        dist[m * K + k] = best[k];
        idx[m * K + k] = place[k];
    }
}

// A list that stays in registers: each index is known when it is compiled.
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
        if (!(d < dist[size - 1])) return;
        dist[size - 1] = d;
        idx[size - 1] = i;
#pragma unroll
        for (int k = size - 1; k > 0; k--) {
            if (dist[k] < dist[k - 1]) {
                const float far = dist[k - 1];
                const int index = idx[k - 1];
                dist[k - 1] = dist[k];
                idx[k - 1] = idx[k];
                dist[k] = far;
                idx[k] = index;
            }
        }
    }

    __device__ void write(int m, float* to_dist, int* to_idx) const {
#pragma unroll
        for (int k = 0; k < size; k++) {
            to_dist[m * size + k] = dist[k];
            to_idx[m * size + k] = idx[k];
        }
    }
};

// 3: the list of a template's size.
template <int size>
__global__ void register_list(const float* query, const float* ref, int N, float* dist, int* idx) {
    const int m = blockIdx.x * num_threads + threadIdx.x;
    Nearest<size> nearest;
    const float x = query[3 * m], y = query[3 * m + 1], z = query[3 * m + 2];
    for (int i = 0; i < N; i++) {
        const float* r = ref + 3 * i;
        nearest.insert(squared(x - r[0], y - r[1], z - r[2]), i);
    }
    nearest.write(m, dist, idx);
}

// 4: points in a shared tile.
template <int size>
__global__ void tile(const float* query, const float* ref, int N, float* dist, int* idx) {
    __shared__ float points[3 * num_threads];
    const int m = blockIdx.x * num_threads + threadIdx.x;
    Nearest<size> nearest;
    const float x = query[3 * m], y = query[3 * m + 1], z = query[3 * m + 2];
    for (int begin = 0; begin < N; begin += num_threads) {
        const int count = min(num_threads, N - begin);
        for (int i = threadIdx.x; i < 3 * count; i += num_threads) {
            points[i] = ref[3 * begin + i];
        }
        __syncthreads();
        for (int i = 0; i < count; i++) {
            const float* r = points + 3 * i;
            nearest.insert(squared(x - r[0], y - r[1], z - r[2]), begin + i);
        }
        __syncthreads();
    }
    nearest.write(m, dist, idx);
}

__device__ float4 point_of(const float* ref, int i) {
    return make_float4(ref[3 * i], ref[3 * i + 1], ref[3 * i + 2], 0);
}

// 5: the tile as float4.
template <int size>
__global__ void tile_of_four(const float* query, const float* ref, int N, float* dist, int* idx) {
    __shared__ float4 points[num_threads];
    const int m = blockIdx.x * num_threads + threadIdx.x;
    Nearest<size> nearest;
    const float x = query[3 * m], y = query[3 * m + 1], z = query[3 * m + 2];
    for (int begin = 0; begin < N; begin += num_threads) {
        const int count = min(num_threads, N - begin);
        if (threadIdx.x < count) points[threadIdx.x] = point_of(ref, begin + threadIdx.x);
        __syncthreads();
        for (int i = 0; i < count; i++) {
            const float4 r = points[i];
            nearest.insert(squared(x - r.x, y - r.y, z - r.z), begin + i);
        }
        __syncthreads();
    }
    nearest.write(m, dist, idx);
}

// 6: two queries for each thread.
template <int size>
__global__ void two_queries(const float* query, const float* ref, int N, float* dist, int* idx) {
    __shared__ float4 points[num_threads];
    const int m = blockIdx.x * 2 * num_threads + threadIdx.x;
    Nearest<size> nearest[2];
    const float4 q[2] = {point_of(query, m), point_of(query, m + num_threads)};
    for (int begin = 0; begin < N; begin += num_threads) {
        const int count = min(num_threads, N - begin);
        if (threadIdx.x < count) points[threadIdx.x] = point_of(ref, begin + threadIdx.x);
        __syncthreads();
        for (int i = 0; i < count; i++) {
            const float4 r = points[i];
#pragma unroll
            for (int own = 0; own < 2; own++) {
                const float d = squared(q[own].x - r.x, q[own].y - r.y, q[own].z - r.z);
                nearest[own].insert(d, begin + i);
            }
        }
        __syncthreads();
    }
    nearest[0].write(m, dist, idx);
    nearest[1].write(m + num_threads, dist, idx);
}

int main() {
    constexpr int M = 512, N = 512, K = 4;
    std::vector<float> queries(3 * M), refs(3 * N), distances(M * K), first_distances;
    std::vector<int> places(M * K), first_places;
    unsigned seed = 12345;
    const auto random = [&] {
        seed = seed * 1664525u + 1013904223u;
        return (seed >> 8) / 16777216.0f;
    };
    for (float& value : queries) value = random();
    for (float& value : refs) value = random();
    constexpr size_t input = 3 * M * sizeof(float), output = M * K * sizeof(float);
    float *query, *ref, *dist;
    int* idx;
    cudaMalloc(&query, input);
    cudaMalloc(&ref, input);
    cudaMalloc(&dist, output);
    cudaMalloc(&idx, output);
    cudaMemcpy(query, queries.data(), input, cudaMemcpyHostToDevice);
    cudaMemcpy(ref, refs.data(), input, cudaMemcpyHostToDevice);
    int num_wrong = 0;
    const auto look = [&](const char* name) {
        cudaMemcpy(distances.data(), dist, output, cudaMemcpyDeviceToHost);
        cudaMemcpy(places.data(), idx, output, cudaMemcpyDeviceToHost);
        cudaMemset(idx, 0, output);
        if (first_places.empty()) first_distances = distances, first_places = places;
        const bool same = distances == first_distances && places == first_places;
        num_wrong += !same;
        std::printf("%s: %s\n", name, same ? "the same" : "DIFFERENT");
    };
    constexpr int num_blocks = M / num_threads;
    list_in_output<<<num_blocks, num_threads>>>(query, ref, N, K, dist, idx);
    look("1 list in the output");
    local_list<<<num_blocks, num_threads>>>(query, ref, N, K, dist, idx);
    look("2 local list");
    register_list<K><<<num_blocks, num_threads>>>(query, ref, N, dist, idx);
    look("3 registers");
    tile<K><<<num_blocks, num_threads>>>(query, ref, N, dist, idx);
    look("4 tile");
    tile_of_four<K><<<num_blocks, num_threads>>>(query, ref, N, dist, idx);
    look("5 float4");
    two_queries<K><<<num_blocks / 2, num_threads>>>(query, ref, N, dist, idx);
    look("6 two queries");
    cudaFree(query);
    cudaFree(ref);
    cudaFree(dist);
    cudaFree(idx);
    return num_wrong;
}
