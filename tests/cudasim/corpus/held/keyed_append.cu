// expect: nothing
// Values are appended to the list of their key; lanes of one key share one atomicAdd, and only its leader knows the base.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int keys = 5;
constexpr int room = 512;

__device__ int reserve(int* lengths, int key) {
    const unsigned active = __activemask();
    const unsigned same = __match_any_sync(active, key);
    const unsigned lane = (threadIdx.y * blockDim.x + threadIdx.x) % warpSize;
    const int leader = __ffs(same) - 1;
    int base;
    if (lane == leader) base = atomicAdd(&lengths[key], __popc(same));
    base = __shfl_sync(same, base, leader);
    return base + __popc(same & ((1u << lane) - 1u));
}

__global__ void append(const int* values, int n, int* lists, int* lengths) {
    const int step = gridDim.x * blockDim.x * blockDim.y;
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (; i < n; i += step) {
        const int key = values[i] % keys;
        lists[key * room + reserve(lengths, key)] = values[i];
    }
}

int main() {
    const int n = 1201;
    std::vector<int> values(n), lists(keys * room), lengths(keys);
    for (int i = 0; i < n; ++i) values[i] = (i * 577) % 1999;
    int *d_values, *d_lists, *d_lengths;
    cudaMalloc(&d_values, n * sizeof(int));
    cudaMalloc(&d_lists, keys * room * sizeof(int));
    cudaMalloc(&d_lengths, keys * sizeof(int));
    cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_lists, 0, keys * room * sizeof(int));
    cudaMemset(d_lengths, 0, keys * sizeof(int));
    append<<<3, dim3(24, 4)>>>(d_values, n, d_lists, d_lengths);
    cudaMemcpy(lists.data(), d_lists, keys * room * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(lengths.data(), d_lengths, keys * sizeof(int), cudaMemcpyDeviceToHost);
    for (int key = 0; key < keys; ++key) {
        std::vector<int> want, got(&lists[key * room], &lists[key * room] + lengths[key]);
        for (int each : values)
            if (each % keys == key) want.push_back(each);
        std::sort(got.begin(), got.end());
        std::sort(want.begin(), want.end());
        if (got != want) return printf("list %d is wrong\n", key), 1;
    }
    cudaFree(d_values);
    cudaFree(d_lists);
    cudaFree(d_lengths);
    return 0;
}
