// expect: nothing
// Every atomic operation on a counter of its own; only results that need no order are checked.
#include <cstdio>

struct Cells {
    int sum, minus, smallest, largest, all_and, any_or, parity, swapped;
    unsigned wraps, counts_down, product;
    unsigned long long wide;
    float real;
    double fine;
};

__global__ void count(Cells* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&c->sum, i);
    atomicSub(&c->minus, 2);
    atomicMin(&c->smallest, 5 - i);
    atomicMax(&c->largest, i * 3);
    atomicAnd(&c->all_and, ~(1 << (i % 8)));
    atomicOr(&c->any_or, 1 << (i % 16));
    atomicXor(&c->parity, i);
    atomicExch(&c->swapped, 7);
    atomicInc(&c->wraps, 9u);
    atomicDec(&c->counts_down, 1000u);
    atomicAdd(&c->wide, 1ull << 33);
    atomicAdd(&c->real, 0.5f);
    atomicAdd(&c->fine, 0.25);
    unsigned old = atomicAdd(&c->product, 0u), seen;
    do {
        seen = old;
        old = atomicCAS(&c->product, seen, seen * 3);
    } while (old != seen);
}

int main() {
    Cells c = {0, 500, 100, -1, 0xffff, 0, 0, 1, 0, 500, 1, 0, 0.0f, 0.0};
    Cells* d_c;
    cudaMalloc(&d_c, sizeof(Cells));
    cudaMemcpy(d_c, &c, sizeof(c), cudaMemcpyHostToDevice);
    count<<<4, 50>>>(d_c);
    cudaMemcpy(&c, d_c, sizeof(c), cudaMemcpyDeviceToHost);
    cudaFree(d_c);
    unsigned product = 1;
    int parity = 0;
    for (int i = 0; i < 200; ++i) {
        product *= 3;
        parity ^= i;
    }
    bool good = c.sum == 19900 && c.minus == 100 && c.smallest == -194 && c.largest == 597 &&
                c.all_and == 0xff00 && c.any_or == 0xffff && c.parity == parity && c.swapped == 7 &&
                c.wraps == 0 && c.counts_down == 300 && c.product == product &&
                c.wide == 200ull << 33 && c.real == 100.0f && c.fine == 50.0;
    if (!good) printf("a cell is wrong: sum %d, wraps %u, real %f\n", c.sum, c.wraps, c.real);
    return !good;
}
