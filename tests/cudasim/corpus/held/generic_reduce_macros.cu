// expect: nothing
// A reduction over any number of operations at once: fold expressions, functors, a launch macro, a function pointer from a device table.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <tuple>
#include <vector>

#define LAUNCH(kernel, grid, block, ...)                                                       \
    do {                                                                                       \
        kernel<<<(grid), (block)>>>(__VA_ARGS__);                                              \
        if (cudaPeekAtLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {  \
            printf("%s failed\n", #kernel);                                                    \
            return 2;                                                                          \
        }                                                                                      \
    } while (false)

struct Add { static constexpr int identity = 0; __device__ int operator()(int a, int b) const { return a + b; } };
struct Max { static constexpr int identity = INT_MIN; __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
struct Min { static constexpr int identity = INT_MAX; __device__ int operator()(int a, int b) const { return a < b ? a : b; } };
struct Xor { static constexpr int identity = 0; __device__ int operator()(int a, int b) const { return a ^ b; } };

using Unary = int (*)(int);
__device__ int identity_of(int x) { return x; }
__device__ int square_of(int x) { return x * x; }
__device__ int negative_of(int x) { return -x; }
__device__ Unary const unary_table[] = {identity_of, square_of, negative_of};

template <int BLOCK, class Op>
__device__ int block_reduce(int v) {
    __shared__ int s[BLOCK];  // each Op has its own
    Op op;
    s[threadIdx.x] = v;
    __syncthreads();
#pragma unroll
    for (int n = BLOCK / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + n]);
        __syncthreads();
    }
    return s[0];
}

template <int BLOCK, class... Ops>
__global__ void reduce_many(const int* in, int n, int which, int* out) {
    constexpr int K = sizeof...(Ops);
    int acc[K] = {Ops::identity...};
    Unary f = unary_table[which];
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        int v = f(in[i]), k = 0;
        ((acc[k] = Ops{}(acc[k], v), ++k), ...);
    }
    int k = 0;
    ((acc[k] = block_reduce<BLOCK, Ops>(acc[k]), ++k), ...);
    if (threadIdx.x == 0)
        for (int j = 0; j < K; ++j) out[blockIdx.x * K + j] = acc[j];
}

int main() {
    const int n = 777, blocks = 3;
    std::vector<int> h(n), part(blocks * 4);
    for (int i = 0; i < n; ++i) h[i] = i * 31 % 203 - 100;
    int *in, *out, bad = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, part.size() * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int which = 0; which < 3; ++which) {
        LAUNCH((reduce_many<64, Add, Max, Min, Xor>), blocks, 64, in, n, which, out);
        cudaMemcpy(part.data(), out, part.size() * sizeof(int), cudaMemcpyDeviceToHost);
        int s = 0, mx = INT_MIN, mn = INT_MAX, x = 0, ps = 0, pmx = INT_MIN, pmn = INT_MAX, px = 0;
        for (int v : h) {
            v = which == 0 ? v : which == 1 ? v * v : -v;
            s += v, mx = std::max(mx, v), mn = std::min(mn, v), x ^= v;
        }
        for (int b = 0; b < blocks; ++b)
            ps += part[4 * b], pmx = std::max(pmx, part[4 * b + 1]), pmn = std::min(pmn, part[4 * b + 2]), px ^= part[4 * b + 3];
        bad += std::tie(s, mx, mn, x) != std::tie(ps, pmx, pmn, px);
    }
    cudaFree(in);
    cudaFree(out);
    if (bad) printf("%d\n", bad);
    return bad != 0;
}
