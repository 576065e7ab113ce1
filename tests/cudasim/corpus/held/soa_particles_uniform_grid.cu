// expect: nothing
// Particles in a uniform grid, structure of arrays: count, scan by one block, scatter, then forces from the 9 cells around.
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

struct Particles {
    float* x;
    float* y;
    int n;
};

struct Grid {
    float cell;
    int w, h;
    __host__ __device__ int2 at(float x, float y) const {
        int cx = (int)(x / cell), cy = (int)(y / cell);
        return make_int2(cx < 0 ? 0 : cx >= w ? w - 1 : cx, cy < 0 ? 0 : cy >= h ? h - 1 : cy);
    }
    __host__ __device__ int index(int2 c) const { return c.y * w + c.x; }
    __host__ __device__ int cells() const { return w * h; }
};

__global__ void count(Particles p, Grid g, int* counts, int* rank) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) rank[i] = atomicAdd(&counts[g.index(g.at(p.x[i], p.y[i]))], 1);
}

template <int THREADS>
__global__ void exclusive_scan(const int* in, int* out, int n) {
    __shared__ int warp_sums[THREADS / 32];
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int base = 0; base < n; base += THREADS) {
        int i = base + threadIdx.x;
        int v = i < n ? in[i] : 0, s = v;
        for (int d = 1; d < 32; d <<= 1) {
            int t = __shfl_up_sync(0xffffffff, s, d);
            if (lane >= d) s += t;
        }
        if (lane == 31) warp_sums[warp] = s;
        __syncthreads();
        int before = carry;
        for (int k = 0; k < warp; k++) before += warp_sums[k];
        if (i < n) out[i] = before + s - v;
        __syncthreads();
        if (threadIdx.x == THREADS - 1) carry = before + s;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[n] = carry;
}

__global__ void scatter(Particles p, Grid g, const int* start, const int* rank, Particles sorted, int* order) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += gridDim.x * blockDim.x) {
        int to = start[g.index(g.at(p.x[i], p.y[i]))] + rank[i];
        sorted.x[to] = p.x[i];
        sorted.y[to] = p.y[i];
        order[to] = i;
    }
}

__global__ void neighbours(Particles s, Grid g, const int* start, const int* order, int* found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.n) return;
    int2 c = g.at(s.x[i], s.y[i]);
    int hits = 0;
    for (int y = max(c.y - 1, 0); y <= min(c.y + 1, g.h - 1); y++)
        for (int k = start[g.index({max(c.x - 1, 0), y})]; k < start[g.index({min(c.x + 1, g.w - 1), y}) + 1]; k++) {
            float dx = s.x[i] - s.x[k], dy = s.y[i] - s.y[k];
            hits += k != i && dx * dx + dy * dy < g.cell * g.cell;
        }
    found[order[i]] = hits;
}

int main() {
    const int n = 203;
    Grid g{1.0f, 11, 7};
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = std::fmod(i * 0.618034f, 1.f) * 11.f, y[i] = std::fmod(i * 0.7548777f, 1.f) * 7.f;
    Particles p{nullptr, nullptr, n}, s{nullptr, nullptr, n};
    std::array<int*, 5> ints{};  // counts, start, rank, order, found
    for (float** f : {&p.x, &p.y, &s.x, &s.y}) cudaMalloc(f, n * sizeof(float));
    for (auto& q : ints) cudaMalloc(&q, (g.cells() + 1 > n ? g.cells() + 1 : n) * sizeof(int));
    auto [counts, start, rank, order, found] = ints;
    cudaMemcpy(p.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(counts, 0, g.cells() * sizeof(int));
    count<<<4, 64>>>(p, g, counts, rank);
    exclusive_scan<64><<<1, 64>>>(counts, start, g.cells());
    scatter<<<2, 64>>>(p, g, start, rank, s, order);
    neighbours<<<7, 32>>>(s, g, start, order, found);
    std::vector<int> got(n);
    cudaMemcpy(got.data(), found, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (float* f : {p.x, p.y, s.x, s.y}) cudaFree(f);
    for (int* q : ints) cudaFree(q);
    for (int i = 0; i < n; i++) {
        int want = 0;
        for (int k = 0; k < n; k++) want += k != i && (x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k]) < 1.f;
        if (want != got[i]) {
            printf("particle %d: %d, not %d\n", i, got[i], want);
            return 1;
        }
    }
    return 0;
}
