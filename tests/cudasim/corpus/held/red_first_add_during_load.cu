// expect: out-of-bounds
// Fourth rung, first add during load: only the first of the two elements is guarded.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char* what, int line) {
    if (e != cudaSuccess) {
        std::printf("line %d: %s failed: %s\n", line, what, cudaGetErrorString(e));
        std::exit(2);
    }
}
#define CK(x) check((x), #x, __LINE__)

__global__ void reduce3(const unsigned* g_in, unsigned* g_out, unsigned n) {
    __shared__ unsigned sdata[64];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    unsigned mySum = 0;
    if (i < n) mySum = g_in[i] + g_in[i + blockDim.x];  // <- out-of-bounds
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_out[blockIdx.x] = mySum;
}

int main() {
    const unsigned n = 437, threads = 64, blocks = (n + 2 * threads - 1) / (2 * threads);
    std::vector<unsigned> h(n), part(blocks);
    for (unsigned i = 0; i < n; i++) h[i] = i ^ (i >> 3);
    unsigned *d_in, *d_part;
    CK(cudaMalloc(&d_in, n * sizeof(unsigned)));
    CK(cudaMalloc(&d_part, blocks * sizeof(unsigned)));
    CK(cudaMemcpy(d_in, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    reduce3<<<blocks, threads>>>(d_in, d_part, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(part.data(), d_part, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CK(cudaFree(d_in));
    CK(cudaFree(d_part));
    return 0;
}
