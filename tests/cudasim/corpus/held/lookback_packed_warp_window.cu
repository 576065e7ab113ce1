// expect: nothing
// Look-back with status and sum packed into 64 bits, so no fence is needed; a whole warp inspects 32 predecessors at once.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using u64 = unsigned long long;
constexpr int kThreads = 64;
constexpr unsigned kInvalid = 0, kPartial = 1, kInclusive = 2;

__device__ u64 pack(unsigned status, int sum) { return (u64)status << 32 | (unsigned)sum; }
__device__ u64 peek(u64* p) { return atomicAdd(p, 0ull); }

__global__ void init(u64* desc, int tiles, unsigned* next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tiles) desc[i] = pack(kInvalid, 0);
    if (i == 0) *next = 0;
}

__global__ void scan(const int* in, int* out, int n, u64* desc, unsigned* next) {
    __shared__ unsigned s_tile;
    __shared__ int s_warp[kThreads / 32], s_exclusive;
    if (threadIdx.x == 0) s_tile = atomicInc(next, 0xffffffffu);
    __syncthreads();
    const int tile = s_tile, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int i = tile * kThreads + threadIdx.x;
    int v = i < n ? in[i] : 0, incl = v;
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += o;
    }
    if (lane == 31) s_warp[warp] = incl;
    __syncthreads();
    int total = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
        if (w == warp) incl += total;
        total += s_warp[w];
    }
    if (warp == 0) {
        int exclusive = 0;
        if (lane == 0) atomicExch(&desc[tile], pack(tile == 0 ? kInclusive : kPartial, total));
        __syncwarp();
        for (int base = tile - 1; base >= 0; base -= 32) {
            const int k = base - lane;
            u64 d = pack(kInclusive, 0);
            if (k >= 0) {
                do d = peek(&desc[k]); while ((unsigned)(d >> 32) == kInvalid);
            }
            const unsigned done = __ballot_sync(0xffffffffu, (unsigned)(d >> 32) == kInclusive);
            const int stop = done ? __ffs(done) - 1 : 32;
            int part = lane <= stop ? (int)(unsigned)d : 0;
            for (int m = 16; m; m >>= 1) part += __shfl_xor_sync(0xffffffffu, part, m);
            exclusive += part;
            if (done) break;
        }
        if (lane == 0) {
            if (tile > 0) atomicExch(&desc[tile], pack(kInclusive, exclusive + total));
            s_exclusive = exclusive;
        }
    }
    __syncthreads();
    if (i < n) out[i] = incl + s_exclusive;
}

int main() {
    const int n = 2900, tiles = (n + kThreads - 1) / kThreads;
    std::vector<int> in(n), out(n), want(n);
    for (int i = 0; i < n; ++i) in[i] = i % 29 - 11;
    std::partial_sum(in.begin(), in.end(), want.begin());
    int *d_in, *d_out;
    u64* d_desc;
    unsigned* d_next;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_desc, tiles * sizeof(u64));
    cudaMalloc(&d_next, sizeof(unsigned));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    init<<<(tiles + 31) / 32, 32>>>(d_desc, tiles, d_next);
    scan<<<tiles, kThreads>>>(d_in, d_out, n, d_desc, d_next);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_desc);
    cudaFree(d_next);
    if (out != want) { puts("scan differs"); return 1; }
    return EXIT_SUCCESS;
}
