// expect: nothing
// Morton codes and float order by bits: a union, funnel shifts, byte permutes, popcounts, 64-bit packed atomicMin for an arg min.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

union Bits {
    float f;
    uint32_t u;
    struct {
        uint16_t lo, hi;
    } half;
    uint8_t byte[4];
};

__host__ __device__ constexpr uint32_t spread(uint32_t v) {
    v &= 0x3ff;
    v = (v | v << 16) & 0x030000FF;
    v = (v | v << 8) & 0x0300F00F;
    v = (v | v << 4) & 0x030C30C3;
    v = (v | v << 2) & 0x09249249;
    return v;
}
static_assert(spread(7) == 0b1001001);

__device__ uint32_t ordered(float x) {
    Bits b;
    b.f = x;
    return b.u ^ (-(int32_t)(b.u >> 31) | 0x80000000u);
}

__device__ unsigned long long best = ~0ull;

__global__ void codes(const float3* pts, uint32_t* code, uint32_t* mixed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long key = ~0ull;
    if (i < n) {
        float3 p = pts[i];
        auto q = [](float x) { return (uint32_t)fminf(fmaxf(x * 1024.f, 0.f), 1023.f); };
        code[i] = spread(q(p.x)) << 2 | spread(q(p.y)) << 1 | spread(q(p.z));
        Bits b;
        b.f = p.x;
        uint32_t swapped = __byte_perm(b.u, 0, 0x0123);
        mixed[i] = __funnelshift_l(b.u, swapped, 8) + __popc(b.half.hi) + __clz(b.half.lo + 1) + b.byte[3] + __brev(i);
        key = (unsigned long long)ordered(p.z - 0.5f) << 32 | (unsigned)i;
    }
    for (int o = 16; o; o >>= 1) {
        unsigned long long other = __shfl_xor_sync(~0u, key, o);
        key = other < key ? other : key;
    }
    if ((threadIdx.x & 31) == 0) atomicMin(&best, key);
}

int main() {
    const int n = 205;
    std::vector<float3> p(n);
    for (int i = 0; i < n; i++) p[i] = {std::fabs(std::sin(i * 1.f)), std::fabs(std::cos(i * 2.f)), 0.5f + 0.49f * std::sin(i * 0.7f)};
    float3* dp;
    uint32_t *dc, *dm;
    cudaMalloc(&dp, n * sizeof(float3));
    cudaMalloc(&dc, n * 4);
    cudaMalloc(&dm, n * 4);
    cudaMemcpy(dp, p.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
    codes<<<(n + 63) / 64, 64>>>(dp, dc, dm, n);
    std::vector<uint32_t> c(n), m(n);
    unsigned long long key;
    cudaMemcpy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(m.data(), dm, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&key, best, sizeof key);
    cudaFree(dp), cudaFree(dc), cudaFree(dm);
    int low = 0, bad = 0;
    for (int i = 0; i < n; i++) {
        if (p[i].z < p[low].z) low = i;
        uint32_t x = p[i].x * 1024, y = p[i].y * 1024, z = p[i].z * 1024, want = 0;
        x = x > 1023 ? 1023 : x, y = y > 1023 ? 1023 : y, z = z > 1023 ? 1023 : z;
        for (int b = 0; b < 10; b++) want |= (x >> b & 1) << (3 * b + 2) | (y >> b & 1) << (3 * b + 1) | (z >> b & 1) << (3 * b);
        uint32_t u, rev = 0;
        std::memcpy(&u, &p[i].x, 4);
        for (int b = 0; b < 32; b++) rev |= (uint32_t(i) >> b & 1) << (31 - b);
        uint32_t sw = __builtin_bswap32(u);
        uint32_t mix = (sw << 8 | u >> 24) + __builtin_popcount(u >> 16) + __builtin_clz((u & 0xffff) + 1) + (u >> 24) + rev;
        bad += c[i] != want || m[i] != mix;
    }
    bad += (int)(key & 0xffffffff) != low;
    if (bad) printf("%d wrong, lowest %d\n", bad, low);
    return bad != 0;
}
