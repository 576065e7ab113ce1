// expect: nothing
// Attention backward with recomputed probabilities: a block owns a tile of keys, dQ is gathered by atomics from all of them.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int D = 8, BC = 16;

__global__ void row_stats(const float* q, const float* k, const float* o, const float* dO, float* lse, float* delta, int n, float scale) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float m = -INFINITY, l = 0.f, dl = 0.f;
    for (int j = 0; j <= r; j++) {
        float s = 0.f;
        for (int x = 0; x < D; x++) s += q[r * D + x] * k[j * D + x];
        s *= scale;
        float mn = fmaxf(m, s);
        l = l * expf(m - mn) + expf(s - mn);
        m = mn;
    }
    for (int x = 0; x < D; x++) dl += o[r * D + x] * dO[r * D + x];
    lse[r] = m + logf(l);
    delta[r] = dl;
}

__global__ void __launch_bounds__(BC) flash_bwd(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                                const float* __restrict__ dO, const float* __restrict__ lse,
                                                const float* __restrict__ delta, float* dq, float* dk, float* dv, int n, float scale) {
    __shared__ float qs[BC][D + 1], dos[BC][D + 1], ls[BC], ds[BC];
    const int col = blockIdx.x * BC + threadIdx.x;
    float kr[D], vr[D], gk[D] = {}, gv[D] = {};
#pragma unroll
    for (int x = 0; x < D; x++) {
        kr[x] = col < n ? k[col * D + x] : 0.f;
        vr[x] = col < n ? v[col * D + x] : 0.f;
    }
    for (int start = blockIdx.x * BC; start < n; start += BC) {  // causal: earlier queries never look here
        int r = start + threadIdx.x;
        if (r < n) {
            for (int x = 0; x < D; x++) {
                qs[threadIdx.x][x] = q[r * D + x];
                dos[threadIdx.x][x] = dO[r * D + x];
            }
            ls[threadIdx.x] = lse[r];
            ds[threadIdx.x] = delta[r];
        }
        __syncthreads();
        for (int i = 0; i < BC && start + i < n; i++) {
            if (col >= n || start + i < col) continue;
            float s = 0.f, dp = 0.f;
            for (int x = 0; x < D; x++) s += qs[i][x] * kr[x], dp += dos[i][x] * vr[x];
            float p = __expf(s * scale - ls[i]);
            float dsij = p * (dp - ds[i]) * scale;
            for (int x = 0; x < D; x++) {
                gv[x] += p * dos[i][x];
                gk[x] += dsij * qs[i][x];
                atomicAdd(&dq[(start + i) * D + x], dsij * kr[x]);
            }
        }
        __syncthreads();
    }
    if (col < n)
        for (int x = 0; x < D; x++) dk[col * D + x] = gk[x], dv[col * D + x] = gv[x];
}

int main() {
    const int n = 37, t = n * D;
    const float scale = 1 / std::sqrt(float(D));
    std::vector<float> q(t), k(t), v(t), g(t), o(t, 0.f);
    std::vector<double> P(n * n, 0.), wq(t, 0.), wk(t, 0.), wv(t, 0.);
    for (int i = 0; i < t; i++) q[i] = std::sin(i * .3f), k[i] = std::cos(i * .11f), v[i] = std::sin(i * .77f + 1), g[i] = std::cos(i * .5f);
    for (int r = 0; r < n; r++) {
        double s = 0;
        for (int c = 0; c <= r; c++) {
            double z = 0;
            for (int x = 0; x < D; x++) z += q[r * D + x] * k[c * D + x];
            s += P[r * n + c] = std::exp(z * scale);
        }
        double dl = 0;
        for (int c = 0; c <= r; c++) {
            P[r * n + c] /= s;
            for (int x = 0; x < D; x++) o[r * D + x] += P[r * n + c] * v[c * D + x];
        }
        for (int x = 0; x < D; x++) dl += o[r * D + x] * g[r * D + x];
        for (int c = 0; c <= r; c++) {
            double dp = 0;
            for (int x = 0; x < D; x++) dp += g[r * D + x] * v[c * D + x];
            double dz = P[r * n + c] * (dp - dl) * scale;
            for (int x = 0; x < D; x++) {
                wq[r * D + x] += dz * k[c * D + x];
                wk[c * D + x] += dz * q[r * D + x];
                wv[c * D + x] += P[r * n + c] * g[r * D + x];
            }
        }
    }
    float* buf;
    cudaMalloc(&buf, (8 * t + 2 * n) * sizeof(float));
    float *dq_ = buf, *dk_ = buf + t, *dv_ = buf + 2 * t, *dO = buf + 3 * t, *gq = buf + 4 * t, *gk = buf + 5 * t, *gv = buf + 6 * t,
          *oo = buf + 7 * t, *lse = buf + 8 * t, *delta = lse + n;
    const std::vector<float>* src[] = {&q, &k, &v, &g};
    for (int i = 0; i < 4; i++) cudaMemcpy(buf + i * t, src[i]->data(), t * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(oo, o.data(), t * 4, cudaMemcpyHostToDevice);
    cudaMemset(gq, 0, t * 4);
    row_stats<<<(n + 31) / 32, 32>>>(dq_, dk_, oo, dO, lse, delta, n, scale);
    flash_bwd<<<(n + BC - 1) / BC, BC>>>(dq_, dk_, dv_, dO, lse, delta, gq, gk, gv, n, scale);
    std::vector<float> r(3 * t);
    cudaMemcpy(r.data(), gq, 3 * t * 4, cudaMemcpyDeviceToHost);
    cudaFree(buf);
    int bad = 0;
    for (int i = 0; i < t; i++)
        bad += std::fabs(r[i] - wq[i]) > 1e-4 || std::fabs(r[t + i] - wk[i]) > 1e-4 || std::fabs(r[2 * t + i] - wv[i]) > 1e-4;
    if (bad) printf("%d gradients differ\n", bad);
    return bad > 0;
}
