// expect: nothing
// Monte Carlo pi by a hand-written Philox, partial sums of blocks are added by the block that comes last; launched three times.
#include <cmath>
#include <cstdint>
#include <cstdio>

struct Philox {
    uint32_t key[2], ctr[4];
    __host__ __device__ Philox(uint64_t seed, uint64_t stream) : key{uint32_t(seed), uint32_t(seed >> 32)}, ctr{0, 0, uint32_t(stream), uint32_t(stream >> 32)} {}
    __host__ __device__ static uint32_t mulhilo(uint32_t a, uint32_t b, uint32_t* hi) {
#ifdef __CUDA_ARCH__
        *hi = __umulhi(a, b);
#else
        *hi = uint32_t((uint64_t(a) * b) >> 32);
#endif
        return a * b;
    }
    struct Four {
        uint32_t v[4];
    };
    __host__ __device__ Four operator()() {
        uint32_t c[4] = {ctr[0], ctr[1], ctr[2], ctr[3]}, k0 = key[0], k1 = key[1];
        for (int r = 0; r < 10; ++r) {
            uint32_t h0, h1, l0 = mulhilo(0xD2511F53u, c[0], &h0), l1 = mulhilo(0xCD9E8D57u, c[2], &h1);
            uint32_t n0 = h1 ^ c[1] ^ k0, n2 = h0 ^ c[3] ^ k1;
            c[0] = n0, c[1] = l1, c[2] = n2, c[3] = l0;
            k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
        }
        if (!++ctr[0]) ++ctr[1];
        return {{c[0], c[1], c[2], c[3]}};
    }
};

__host__ __device__ inline unsigned throw_darts(uint64_t seed, uint64_t who, int rounds) {
    Philox rng(seed, who);
    unsigned hits = 0;
    for (int i = 0; i < rounds; ++i) {
        auto u = rng();
        for (int p = 0; p < 4; p += 2) {
            uint64_t x = u.v[p] >> 8, y = u.v[p + 1] >> 8;
            hits += x * x + y * y < (1ull << 48);
        }
    }
    return hits;
}

__device__ unsigned int arrived = 0;

__global__ void pi_kernel(uint64_t seed, int rounds, volatile unsigned* partial, unsigned long long* result) {
    __shared__ unsigned warp_hits[32];
    __shared__ bool is_last;
    unsigned hits = throw_darts(seed, blockIdx.x * blockDim.x + threadIdx.x, rounds);
    hits = __reduce_add_sync(0xffffffffu, hits);
    if ((threadIdx.x & 31) == 0) warp_hits[threadIdx.x >> 5] = hits;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += warp_hits[w];
        partial[blockIdx.x] = sum;
        __threadfence();
        unsigned ticket = atomicInc(&arrived, gridDim.x - 1);  // wraps round to 0 by itself
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        unsigned sum = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += partial[b];
        sum = __reduce_add_sync(~0u, sum);
        if ((threadIdx.x & 31) == 0) atomicAdd(result, (unsigned long long)sum);
    }
}

int main() {
    const int blocks = 7, threads = 96, rounds = 20;
    unsigned* partial;
    unsigned long long *result, host = 0, want = 0;
    cudaMalloc(&partial, blocks * sizeof(unsigned));
    cudaMalloc(&result, sizeof *result);
    cudaMemset(result, 0, sizeof *result);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        pi_kernel<<<blocks, threads>>>(seed, rounds, partial, result);
        for (int t = 0; t < blocks * threads; ++t) want += throw_darts(seed, t, rounds);
    }
    cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(partial);
    cudaFree(result);
    double pi = 4.0 * host / (3.0 * blocks * threads * rounds * 2);
    if (host != want || std::fabs(pi - 3.14159) > 0.05) {
        printf("%llu hits, not %llu, pi %f\n", host, want, pi);
        return 1;
    }
    return 0;
}
