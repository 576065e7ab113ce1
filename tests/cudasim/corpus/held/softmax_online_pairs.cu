// expect: nothing
// Online softmax: running maximum and normaliser are one 8-byte value that is merged by shuffles.
#include <cmath>
#include <cstdio>
#include <vector>

struct __align__(8) MD {
    float m;
    float d;
};

__device__ __forceinline__ MD merge(MD a, MD b) {
    bool a_bigger = a.m > b.m;
    MD big = a_bigger ? a : b;
    MD small = a_bigger ? b : a;
    MD res;
    res.d = big.d + (small.d == 0.f ? 0.f : small.d * __expf(small.m - big.m));
    res.m = big.m;
    return res;
}

template <int THREADS>
__launch_bounds__(THREADS) __global__ void online_softmax(const float* __restrict x, float* __restrict y, int V) {
    constexpr int WARPS = THREADS / 32;
    __shared__ MD partial[WARPS];
    __shared__ MD total;
    x += (size_t)blockIdx.x * V;
    y += (size_t)blockIdx.x * V;
    MD md{-INFINITY, 0.f};
    for (int e = threadIdx.x; e < V; e += THREADS) md = merge(md, MD{x[e], 1.f});
#pragma unroll
    for (int mask = 16; mask; mask >>= 1) {
        MD other;
        other.m = __shfl_xor_sync(~0u, md.m, mask);
        other.d = __shfl_xor_sync(~0u, md.d, mask);
        md = merge(md, other);
    }
    if (!(threadIdx.x & 31)) partial[threadIdx.x >> 5] = md;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < WARPS; w++) md = merge(md, partial[w]);
        total = md;
    }
    __syncthreads();
    const float inv = __fdividef(1.f, total.d);
    for (int e = threadIdx.x; e < V; e += THREADS) y[e] = __expf(x[e] - total.m) * inv;
}

template <int T>
int check(int batch, int V) {
    std::vector<float> h(batch * V), r(batch * V);
    for (size_t i = 0; i < h.size(); i++) h[i] = std::sin(i * 1.7) * 9.f;
    float *x, *y;
    cudaMalloc((void**)&x, h.size() * 4);
    cudaMalloc((void**)&y, h.size() * 4);
    cudaMemcpy(x, &h[0], h.size() * 4, cudaMemcpyDefault);
    online_softmax<T><<<batch, T>>>(x, y, V);
    cudaMemcpy(&r[0], y, r.size() * 4, cudaMemcpyDefault);
    cudaFree(x);
    cudaFree(y);
    int wrong = 0;
    for (int b = 0; b < batch; b++) {
        double s = 0;
        for (int v = 0; v < V; v++) s += std::exp((double)h[b * V + v]);
        for (int v = 0; v < V; v++) wrong += std::fabs(r[b * V + v] - std::exp((double)h[b * V + v]) / s) > 1e-5;
    }
    if (wrong) printf("T=%d V=%d: %d wrong\n", T, V, wrong);
    return wrong;
}

int main() {
    int wrong = check<64>(5, 201) + check<128>(3, 77) + check<32>(4, 31);
    return wrong != 0;
}
