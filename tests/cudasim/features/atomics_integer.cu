// feature: integer atomics: Add, Sub, Exch, Min, Max, Inc, Dec, And, Or, Xor, CAS in 32 and 64 bits
// area: atomics
#include <climits>
#include <cstdio>

struct Cells {
    int add, sub, low, high, all, any, odd;
    unsigned uadd, usub, ulow, uhigh, inc, dec, uand, uor, uxor, swaps;
    unsigned long long ladd, llow, lhigh, land, lor, lxor, lswap;
    long long slow, shigh, sand, sor, sxor;
    int exchanged[256];
    unsigned long long lexchanged[2];
};

__global__ void run(Cells* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned u = i;
    const unsigned long long l = (1ULL << 40) + u;
    const long long s = static_cast<long long>(i) - (1LL << 40);
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, i);
    atomicMin(&c->low, -i);
    atomicMax(&c->high, i);
    atomicAnd(&c->all, ~(1 << i % 8));
    atomicOr(&c->any, 1 << i % 8);
    atomicXor(&c->odd, i);
    atomicAdd(&c->uadd, u);
    atomicSub(&c->usub, u);
    atomicMin(&c->ulow, 1000 - u);
    atomicMax(&c->uhigh, 0x80000000u + u);
    atomicInc(&c->inc, 99);
    atomicDec(&c->dec, 99);
    atomicAnd(&c->uand, ~(1u << i % 32));
    atomicOr(&c->uor, 1u << i % 32);
    atomicXor(&c->uxor, u);
    atomicAdd(&c->ladd, l);
    atomicMin(&c->llow, l);
    atomicMax(&c->lhigh, l);
    atomicAnd(&c->land, ~(1ULL << i % 64));
    atomicOr(&c->lor, 1ULL << i % 64);
    atomicXor(&c->lxor, l);
    atomicMin(&c->slow, s);
    atomicMax(&c->shigh, s);
    atomicAnd(&c->sand, ~(1LL << i % 63));
    atomicOr(&c->sor, 1LL << i % 63);
    atomicXor(&c->sxor, s);
    c->exchanged[i] = atomicExch(&c->exchanged[i], 2 * i) + atomicExch(&c->exchanged[i], -1);
    atomicExch(&c->lexchanged[0], 5ULL);
    unsigned seen = c->swaps;
    for (;;) {
        const unsigned before = atomicCAS(&c->swaps, seen, seen + 3);
        if (before == seen) {
            break;
        }
        seen = before;
    }
    const unsigned long long place = i;
    atomicCAS(&c->lswap, place, place + 1);
}

#define WANT(cell, value)                                                       \
    if (host->cell != (value)) {                                                \
        std::printf(#cell " is %lld\n", static_cast<long long>(host->cell));    \
        wrong++;                                                                \
    }

int main() {
    const int n = 256;
    Cells* device;
    Cells* host = new Cells{};
    host->all = host->uand = -1;
    host->ulow = UINT_MAX;
    host->llow = host->land = ULLONG_MAX;
    host->slow = LLONG_MAX;
    host->shigh = LLONG_MIN;
    host->sand = -1;
    host->dec = 10;
    cudaMalloc(&device, sizeof(Cells));
    cudaMemcpy(device, host, sizeof(Cells), cudaMemcpyHostToDevice);
    run<<<4, n / 4>>>(device);
    cudaMemcpy(host, device, sizeof(Cells), cudaMemcpyDeviceToHost);
    cudaFree(device);
    int wrong = 0;
    const int sum = n * (n - 1) / 2;
    WANT(add, sum)
    WANT(sub, -sum)
    WANT(low, 1 - n)
    WANT(high, n - 1)
    WANT(all, ~255)
    WANT(any, 255)
    WANT(odd, 0)
    WANT(uadd, static_cast<unsigned>(sum))
    WANT(usub, static_cast<unsigned>(-sum))
    WANT(ulow, 1000u - n + 1)
    WANT(uhigh, 0x80000000u + n - 1)
    WANT(inc, n % 100)
    WANT(dec, (10 - n % 100 + 100) % 100)
    WANT(uand, 0u)
    WANT(uor, ~0u)
    WANT(uxor, 0u)
    WANT(ladd, (1ULL << 40) * n + sum)
    WANT(llow, 1ULL << 40)
    WANT(lhigh, (1ULL << 40) + n - 1)
    WANT(land, 0ULL)
    WANT(lor, ~0ULL)
    WANT(lxor, 0ULL)
    WANT(slow, -(1LL << 40))
    WANT(shigh, n - 1 - (1LL << 40))
    WANT(sand, LLONG_MIN)
    WANT(sor, LLONG_MAX)
    WANT(sxor, 0LL)
    WANT(swaps, 3u * n)
    WANT(lexchanged[0], 5ULL)
    for (int i = 0; i < n; i++) {
        WANT(exchanged[i], 2 * i)
    }
    if (host->lswap == 0 || host->lswap > static_cast<unsigned>(n)) {
        wrong++;
    }
    delete host;
    return wrong || cudaGetLastError() != cudaSuccess;
}
