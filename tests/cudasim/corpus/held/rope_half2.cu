// expect: nothing
// Rotary embedding in place on half2 pairs, a table of cosines and sines made by another kernel; queries and keys in one launch.
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void make_table(float2* table, int positions, int half_dim, float base) {
    int p = blockIdx.x, i = threadIdx.x;
    if (p < positions && i < half_dim) {
        float freq = powf(base, -2.0f * i / (2 * half_dim));
        float s, c;
        sincosf(p * freq, &s, &c);
        table[p * half_dim + i] = make_float2(c, s);
    }
}

__global__ void rope(__half2* q, __half2* k, const float2* __restrict__ table, int tokens, int heads_q, int heads_k, int half_dim,
                     const int* __restrict__ positions) {
    const int token = blockIdx.x, head = blockIdx.y;
    __half2* row = head < heads_q ? q + (size_t(token) * heads_q + head) * half_dim
                                  : k + (size_t(token) * heads_k + head - heads_q) * half_dim;
    const int pos = __ldg(&positions[token]);
    for (int i = threadIdx.x; i < half_dim; i += blockDim.x) {
        const float2 cs = __ldg(&table[pos * half_dim + i]);
        const float2 x = __half22float2(row[i]);
        row[i] = __floats2half2_rn(x.x * cs.x - x.y * cs.y, x.x * cs.y + x.y * cs.x);
    }
}

int main() {
    const int tokens = 9, hq = 3, hk = 1, hd = 21, maxpos = 40;
    std::vector<__half> q(tokens * hq * hd * 2), k(tokens * hk * hd * 2);
    std::vector<int> pos(tokens);
    for (size_t i = 0; i < q.size(); ++i) q[i] = __float2half(std::sin(0.1f * i));
    for (size_t i = 0; i < k.size(); ++i) k[i] = __float2half(std::cos(0.1f * i));
    for (int i = 0; i < tokens; ++i) pos[i] = (i * 13) % maxpos;
    __half *dq, *dk;
    float2* table;
    int* dpos;
    cudaMalloc(&dq, q.size() * sizeof(__half));
    cudaMalloc(&dk, k.size() * sizeof(__half));
    cudaMalloc(&table, maxpos * hd * sizeof(float2));
    cudaMalloc(&dpos, tokens * sizeof(int));
    cudaMemcpy(dq, q.data(), q.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), k.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dpos, pos.data(), tokens * sizeof(int), cudaMemcpyHostToDevice);
    make_table<<<maxpos, 32>>>(table, maxpos, hd, 10000.f);
    rope<<<dim3(tokens, hq + hk), 16>>>(reinterpret_cast<__half2*>(dq), reinterpret_cast<__half2*>(dk), table, tokens, hq, hk, hd, dpos);
    std::vector<__half> rq(q.size()), rk(k.size());
    cudaMemcpy(rq.data(), dq, q.size() * sizeof(__half), cudaMemcpyDeviceToHost);
    cudaMemcpy(rk.data(), dk, k.size() * sizeof(__half), cudaMemcpyDeviceToHost);
    cudaFree(dq);
    cudaFree(dk);
    cudaFree(table);
    cudaFree(dpos);
    int bad = 0;
    auto check = [&](const std::vector<__half>& in, const std::vector<__half>& out, int heads) {
        for (int t = 0; t < tokens; ++t)
            for (int h = 0; h < heads; ++h)
                for (int i = 0; i < hd; ++i) {
                    size_t at = ((size_t)t * heads + h) * hd * 2 + 2 * i;
                    double a = pos[t] * std::pow(10000.0, -double(i) / hd), x = __half2float(in[at]), y = __half2float(in[at + 1]);
                    bad += std::fabs(x * std::cos(a) - y * std::sin(a) - __half2float(out[at])) > 2e-3;
                    bad += std::fabs(x * std::sin(a) + y * std::cos(a) - __half2float(out[at + 1])) > 2e-3;
                }
    };
    check(q, rq, hq);
    check(k, rk, hk);
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
