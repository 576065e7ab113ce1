// expect: race
// may: uninitialized
// Flash attention, four threads per query row: the row's scores go through shared memory, read without a barrier.
#include <cstdio>
#include <cmath>
#include <vector>

template <int BR, int BC, int D>
struct Smem {
    float q[BR][D];
    float k[BC][D];
    float v[BC][D];
    float s[BR][BC];
};

template <int BR, int BC, int D, int TEAM>
__global__ void flash(const float* Q, const float* K, const float* V, float* O, int n) {
    __shared__ Smem<BR, BC, D> sm;
    const int r = threadIdx.x / TEAM, t = threadIdx.x % TEAM;
    const int row = blockIdx.x * BR + r;
    for (int x = t; x < D; x += TEAM) sm.q[r][x] = row < n ? Q[row * D + x] : 0.f;
    float m = -INFINITY, l = 0.f, acc[D / TEAM] = {0.f};
    for (int base = 0; base < n; base += BC) {
        __syncthreads();
        for (int i = threadIdx.x; i < BC * D; i += BR * TEAM) {
            int j = base + i / D;
            sm.k[i / D][i % D] = j < n ? K[j * D + i % D] : 0.f;
            sm.v[i / D][i % D] = j < n ? V[j * D + i % D] : 0.f;
        }
        __syncthreads();
        for (int j = t; j < BC; j += TEAM) {
            float dot = 0.f;
            for (int x = 0; x < D; x++) dot = fmaf(sm.q[r][x], sm.k[j][x], dot);
            sm.s[r][j] = base + j < n ? dot * rsqrtf((float)D) : -INFINITY;  // <- race
        }
        float mn = m;
        for (int j = 0; j < BC; j++) mn = fmaxf(mn, sm.s[r][j]);  // <- race
        const float scale = __expf(m - mn);
        l *= scale;
        for (int x = 0; x < D / TEAM; x++) acc[x] *= scale;
        for (int j = 0; j < BC; j++) {
            float p = __expf(sm.s[r][j] - mn);  // <- race
            l += p;
            for (int x = 0; x < D / TEAM; x++) acc[x] += p * sm.v[j][x * TEAM + t];
        }
        m = mn;
    }
    if (row < n)
        for (int x = 0; x < D / TEAM; x++) O[row * D + x * TEAM + t] = acc[x] / l;
}

int main() {
    constexpr int D = 16;
    const int n = 39;
    std::vector<float> h(n * D);
    for (int i = 0; i < n * D; i++) h[i] = std::sin(0.2f * i);
    float* p[4];
    for (int i = 0; i < 4; i++) {
        cudaMalloc(p + i, h.size() * sizeof(float));
        if (i < 3) cudaMemcpy(p[i], h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    }
    flash<16, 12, D, 4><<<(n + 15) / 16, 64>>>(p[0], p[1], p[2], p[3], n);
    cudaMemcpy(h.data(), p[3], h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[7]);
    for (float* x : p) cudaFree(x);
    return 0;
}
