// expect: nothing
// Bitonic sort of key-value pairs: blocks sort in shared memory, larger strides by global passes, padded to a power of two.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

using uint = unsigned;
constexpr uint SHARED_LIMIT = 128;

__device__ inline void comparator(uint &kA, uint &vA, uint &kB, uint &vB, uint dir) {
    if ((kA > kB) == dir) {
        uint t = kA; kA = kB; kB = t;
        t = vA; vA = vB; vB = t;
    }
}

__global__ void sortShared(uint *key, uint *val) {
    __shared__ uint s_key[SHARED_LIMIT], s_val[SHARED_LIMIT];
    uint base = blockIdx.x * SHARED_LIMIT + threadIdx.x;
    s_key[threadIdx.x] = key[base];
    s_val[threadIdx.x] = val[base];
    s_key[threadIdx.x + SHARED_LIMIT / 2] = key[base + SHARED_LIMIT / 2];
    s_val[threadIdx.x + SHARED_LIMIT / 2] = val[base + SHARED_LIMIT / 2];
    for (uint size = 2; size <= SHARED_LIMIT; size <<= 1) {
        uint ddd = ((threadIdx.x & (size / 2)) == 0);
        if (size == SHARED_LIMIT) ddd = (blockIdx.x & 1) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    __syncthreads();
    key[base] = s_key[threadIdx.x];
    val[base] = s_val[threadIdx.x];
    key[base + SHARED_LIMIT / 2] = s_key[threadIdx.x + SHARED_LIMIT / 2];
    val[base + SHARED_LIMIT / 2] = s_val[threadIdx.x + SHARED_LIMIT / 2];
}

__global__ void mergeGlobal(uint *key, uint *val, uint n, uint size, uint stride) {
    uint comp = blockIdx.x * blockDim.x + threadIdx.x;
    if (comp >= n / 2) return;
    uint dir = (comp & (size / 2)) == 0;
    uint pos = 2 * comp - (comp & (stride - 1));
    comparator(key[pos], val[pos], key[pos + stride], val[pos + stride], dir);
}

int main() {
    const uint real = 900, n = 1024;
    std::vector<uint> key(n, UINT_MAX), val(n, 0), want;
    for (uint i = 0; i < real; i++) { key[i] = i * 7919u % 100003u; val[i] = i; }
    std::vector<uint> orig = key;
    want = key;
    std::sort(want.begin(), want.end());
    uint *dk, *dv;
    cudaMalloc(&dk, n * sizeof(uint));
    cudaMalloc(&dv, n * sizeof(uint));
    cudaMemcpy(dk, key.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
    sortShared<<<n / SHARED_LIMIT, SHARED_LIMIT / 2>>>(dk, dv);
    for (uint size = 2 * SHARED_LIMIT; size <= n; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1)
            mergeGlobal<<<(n / 2 + 95) / 96, 96>>>(dk, dv, n, size, stride);
    cudaMemcpy(key.data(), dk, n * sizeof(uint), cudaMemcpyDeviceToHost);
    cudaMemcpy(val.data(), dv, n * sizeof(uint), cudaMemcpyDeviceToHost);
    cudaFree(dk);
    cudaFree(dv);
    for (uint i = 0; i < real; i++)
        if (key[i] != want[i] || orig[val[i]] != key[i]) { printf("wrong at %u\n", i); return 1; }
    return 0;
}
