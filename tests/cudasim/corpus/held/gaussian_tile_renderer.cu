// expect: nothing
// Splatting: a block per 8x8 tile goes through its sorted list in batches, and ends when __syncthreads_count says all pixels are opaque.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

constexpr int TILE = 8, BATCH = TILE * TILE;

struct Splats {  // structure of arrays
    const float2* mean;
    const float3* conic;
    const float* opacity;
    const float3* color;
};

__global__ void __launch_bounds__(TILE * TILE) render(const uint2* __restrict__ ranges, const int* __restrict__ list, Splats s, int W, int H,
                                                      float* __restrict__ out, int* __restrict__ contributors) {
    __shared__ int ids[BATCH];
    __shared__ float2 xy[BATCH];
    __shared__ float4 conic_o[BATCH];
    const int tiles_x = (W + TILE - 1) / TILE;
    const uint2 range = ranges[blockIdx.y * tiles_x + blockIdx.x];
    const int px = blockIdx.x * TILE + threadIdx.x, py = blockIdx.y * TILE + threadIdx.y;
    const int rank = threadIdx.y * TILE + threadIdx.x;
    const bool inside = px < W && py < H;
    bool done = !inside;
    int todo = range.y - range.x;
    const int rounds = (todo + BATCH - 1) / BATCH;
    float T = 1.f, C[3] = {0};
    int last = 0, seen = 0;
    for (int i = 0; i < rounds; i++, todo -= BATCH) {
        if (__syncthreads_count(done) == TILE * TILE) break;
        int progress = i * BATCH + rank;
        if (range.x + progress < range.y) {
            int id = list[range.x + progress];
            ids[rank] = id;
            xy[rank] = s.mean[id];
            float3 c = s.conic[id];
            conic_o[rank] = {c.x, c.y, c.z, s.opacity[id]};
        }
        __syncthreads();
        for (int j = 0; !done && j < min(BATCH, todo); j++) {
            seen++;
            float2 d = {xy[j].x - px, xy[j].y - py};
            float4 co = conic_o[j];
            float power = -0.5f * (co.x * d.x * d.x + co.z * d.y * d.y) - co.y * d.x * d.y;
            if (power > 0.f) continue;
            float alpha = fminf(0.99f, co.w * expf(power));
            if (alpha < 1.f / 255.f) continue;
            float next = T * (1 - alpha);
            if (next < 1e-4f) {
                done = true;
                continue;
            }
            float3 col = s.color[ids[j]];
            C[0] += col.x * alpha * T, C[1] += col.y * alpha * T, C[2] += col.z * alpha * T;
            T = next;
            last = seen;
        }
    }
    if (inside) {
        for (int ch = 0; ch < 3; ch++) out[(ch * H + py) * W + px] = C[ch];
        contributors[py * W + px] = last;
    }
}

template <class T>
T* up(const std::vector<T>& v) {
    T* p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main() {
    const int W = 29, H = 19, n = 150, tx = (W + TILE - 1) / TILE, ty = (H + TILE - 1) / TILE;
    std::vector<float2> mean(n);
    std::vector<float3> conic(n), color(n);
    std::vector<float> opacity(n);
    for (int i = 0; i < n; i++) {
        mean[i] = {float(i * 37 % 290) / 10, float(i * 53 % 190) / 10};
        conic[i] = {0.05f + (i % 4) * 0.02f, 0.01f, 0.06f};
        color[i] = {(i % 3) * 0.5f, (i % 5) * 0.25f, 0.3f};
        opacity[i] = 0.3f + (i % 7) * 0.1f;
    }
    std::vector<uint2> ranges(tx * ty);
    std::vector<int> list;
    for (int t = 0; t < tx * ty; t++) {
        ranges[t].x = list.size();
        for (int i = 0; i < n; i++)
            if ((i + t) % 3 || t == 4) list.push_back(i);
        ranges[t].y = t == 2 ? ranges[t].x : list.size();
    }
    uint2* dr = up(ranges);
    int* dl = up(list);
    float2* dm = up(mean);
    float3 *dc = up(conic), *dk = up(color);
    float *dop = up(opacity), *dout;
    int* dn;
    cudaMalloc(&dout, 3 * W * H * sizeof(float));
    cudaMalloc(&dn, W * H * sizeof(int));
    render<<<dim3(tx, ty), dim3(TILE, TILE)>>>(dr, dl, Splats{dm, dc, dop, dk}, W, H, dout, dn);
    std::vector<float> out(3 * W * H);
    std::vector<int> cnt(W * H);
    cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(cnt.data(), dn, cnt.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(dr), cudaFree(dl), cudaFree(dm), cudaFree(dc), cudaFree(dk), cudaFree(dop), cudaFree(dout), cudaFree(dn);
    int bad = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float T = 1, C[3] = {};
            uint2 r = ranges[y / TILE * tx + x / TILE];
            for (unsigned k = r.x; k < r.y; k++) {
                int i = list[k];
                float dx = mean[i].x - x, dy = mean[i].y - y;
                float p = -0.5f * (conic[i].x * dx * dx + conic[i].z * dy * dy) - conic[i].y * dx * dy;
                float a = std::fmin(0.99f, opacity[i] * std::exp(p));
                if (p > 0 || a < 1.f / 255.f) continue;
                if (T * (1 - a) < 1e-4f) break;
                C[0] += color[i].x * a * T, C[1] += color[i].y * a * T, C[2] += color[i].z * a * T;
                T *= 1 - a;
            }
            for (int c = 0; c < 3; c++) bad += std::fabs(C[c] - out[(c * H + y) * W + x]) > 2e-3f;
            bad += cnt[y * W + x] > int(r.y - r.x);
        }
    if (bad) printf("%d pixels differ\n", bad);
    return bad != 0;
}
