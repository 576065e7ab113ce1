// expect: nothing
// Argmax over the grid: value and index packed into 64 bits, merged by shuffles and atomicMax.
#include <cstdio>
#include <vector>

__global__ void argmax(const unsigned* in, int n, unsigned long long* best) {
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long packed = in[i];
        packed = packed << 32 | (0xffffffffu - i);
        mine = packed > mine ? packed : mine;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, mine, offset);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}

int main() {
    const int n = 777;
    std::vector<unsigned> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i) {
        in[i] = i * 2654435761u % 500;
        if (in[i] > in[want]) want = i;
    }
    unsigned* d_in;
    unsigned long long *d_best, best;
    cudaMalloc(&d_in, n * sizeof(unsigned));
    cudaMalloc(&d_best, sizeof(best));
    cudaMemset(d_best, 0, sizeof(best));
    cudaMemcpy(d_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    argmax<<<3, 96>>>(d_in, n, d_best);
    cudaMemcpy(&best, d_best, sizeof(best), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_best);
    int index = 0xffffffffu - static_cast<unsigned>(best);
    if (index != want) printf("index %d, not %d\n", index, want);
    return index != want;
}
