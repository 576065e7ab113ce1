// expect: nothing
// Dropout and residual add on bf16 pairs; the kept bits go into words by ballot and are used by the backward pass.
#include <cuda_bf16.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__host__ __device__ inline uint32_t hash(uint32_t x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    return x;
}
__host__ __device__ inline bool kept(uint32_t i, uint32_t seed, float p) { return (hash(i ^ seed) >> 8) * 0x1p-24f >= p; }

__global__ void dropout_add(bf162* out, const bf162* x, const bf162* residual, uint32_t* mask, int pairs, float p, uint32_t seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool a = i < pairs && kept(2 * i, seed, p), b = i < pairs && kept(2 * i + 1, seed, p);
    unsigned even = __ballot_sync(0xffffffff, a), odd = __ballot_sync(0xffffffff, b);
    if (i >= pairs) return;
    float2 v = __bfloat1622float2(x[i]), r = __bfloat1622float2(residual[i]);
    float scale = 1.f / (1.f - p);
    out[i] = __floats2bfloat162_rn(r.x + (a ? v.x * scale : 0.f), r.y + (b ? v.y * scale : 0.f));
    if (i % 32 == 0) {
        mask[i / 32 * 2] = even;
        mask[i / 32 * 2 + 1] = odd;
    }
}

__global__ void dropout_backward(bf162* dx, const bf162* dout, const uint32_t* mask, int pairs, float p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    bf162 keep = __halves2bfloat162(__float2bfloat16(mask[i / 32 * 2] >> i % 32 & 1), __float2bfloat16(mask[i / 32 * 2 + 1] >> i % 32 & 1));
    dx[i] = __hmul2(__hmul2(dout[i], keep), __float2bfloat162_rn(1.f / (1.f - p)));
}

int main() {
    const int pairs = 333, n = 2 * pairs;
    const float p = 0.25f;
    std::vector<bf16> x(n), r(n), y(n), dx(n);
    for (int i = 0; i < n; i++) x[i] = __float2bfloat16(std::sin(i * 0.1f)), r[i] = __float2bfloat16(std::cos(i * 0.2f));
    bf16* d[4];
    uint32_t* mask;
    for (auto& q : d) cudaMalloc(&q, n * sizeof(bf16));
    cudaMalloc(&mask, (pairs + 31) / 32 * 2 * sizeof(uint32_t));
    cudaMemcpy(d[0], x.data(), n * sizeof(bf16), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], r.data(), n * sizeof(bf16), cudaMemcpyHostToDevice);
    const dim3 block(64), grid((pairs + block.x - 1) / block.x);
    dropout_add<<<grid, block>>>((bf162*)d[2], (bf162*)d[0], (bf162*)d[1], mask, pairs, p, 99u);
    dropout_backward<<<grid, block>>>((bf162*)d[3], (bf162*)d[0], mask, pairs, p);
    cudaMemcpy(y.data(), d[2], n * sizeof(bf16), cudaMemcpyDeviceToHost);
    cudaMemcpy(dx.data(), d[3], n * sizeof(bf16), cudaMemcpyDeviceToHost);
    for (auto q : d) cudaFree(q);
    cudaFree(mask);
    int bad = 0;
    for (int i = 0; i < n; i++) {
        float k = kept(i, 99u, p) ? 1.f / (1 - p) : 0.f, v = __bfloat162float(x[i]);
        bad += std::fabs(__bfloat162float(r[i]) + k * v - __bfloat162float(y[i])) > 0.02f;
        bad += std::fabs(k * v - __bfloat162float(dx[i])) > 0.02f;
    }
    if (bad) printf("%d\n", bad);
    return bad != 0;
}
