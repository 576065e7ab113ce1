// expect: nothing
// A union splits a word into bytes; bit-fields share a word that belongs to one thread alone.
#include <cstdio>

union Word {
    unsigned value;
    unsigned char bytes[4];
};

struct Flags {
    unsigned parity : 1;
    unsigned digit : 4;
    unsigned rest : 27;
};

__global__ void pack(const unsigned* in, unsigned* swapped, Flags* flags) {
    __shared__ Word words[48];
    int tid = threadIdx.x;
    words[tid].value = in[tid];
    Flags mine = {};
    mine.parity = in[tid] & 1;
    flags[tid] = mine;
    flags[tid].digit = in[tid] % 10;
    flags[tid].rest = in[tid] >> 8;
    __syncthreads();
    Word result;
    for (int i = 0; i < 4; ++i) result.bytes[i] = words[47 - tid].bytes[3 - i];
    swapped[tid] = result.value;
}

int main() {
    const int n = 48;
    unsigned in[n], swapped[n], *d_in, *d_swapped;
    Flags flags[n], *d_flags;
    for (int i = 0; i < n; ++i) in[i] = i * 2654435761u;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_swapped, sizeof(swapped));
    cudaMalloc(&d_flags, sizeof(flags));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    pack<<<1, n>>>(d_in, d_swapped, d_flags);
    cudaMemcpy(swapped, d_swapped, sizeof(swapped), cudaMemcpyDeviceToHost);
    cudaMemcpy(flags, d_flags, sizeof(flags), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_swapped);
    cudaFree(d_flags);
    for (int i = 0; i < n; ++i) {
        unsigned x = in[n - 1 - i];
        unsigned want = x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
        bool good = flags[i].parity == (in[i] & 1) && flags[i].digit == in[i] % 10 &&
                    flags[i].rest == in[i] >> 8;
        if (swapped[i] != want || !good) {
            printf("entry %d: %08x, not %08x\n", i, swapped[i], want);
            return 1;
        }
    }
    return 0;
}
