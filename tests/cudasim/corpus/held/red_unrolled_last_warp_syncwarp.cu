// expect: nothing
// Fifth rung: the last warp unrolled, each step read, __syncwarp, write, __syncwarp.
#include <cstdio>
#include <random>
#include <vector>

__device__ void warpReduce(volatile int* sdata, unsigned int tid) {
    int v = sdata[tid];
    v += sdata[tid + 32]; __syncwarp();
    sdata[tid] = v;       __syncwarp();
    v += sdata[tid + 16]; __syncwarp();
    sdata[tid] = v;       __syncwarp();
    v += sdata[tid + 8];  __syncwarp();
    sdata[tid] = v;       __syncwarp();
    v += sdata[tid + 4];  __syncwarp();
    sdata[tid] = v;       __syncwarp();
    v += sdata[tid + 2];  __syncwarp();
    sdata[tid] = v;       __syncwarp();
    v += sdata[tid + 1];  __syncwarp();
    sdata[tid] = v;
}

__global__ void reduce4(int* g_idata, int* g_odata, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sdata[tid] = (i < n ? g_idata[i] : 0) + (i + blockDim.x < n ? g_idata[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) warpReduce(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main() {
    std::mt19937 rng(12345);
    std::uniform_int_distribution<int> dist(-50, 50);
    const unsigned n = 2222, tpb = 256, blocks = (n + 2 * tpb - 1) / (2 * tpb);
    std::vector<int> h(n), o(blocks);
    long want = 0, got = 0;
    for (auto& x : h) { x = dist(rng); want += x; }
    int *di, *dout;
    cudaMalloc(&di, n * sizeof(int));
    cudaMalloc(&dout, blocks * sizeof(int));
    cudaMemcpy(di, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    // the last steps read up to 16 words behind the first 32, so the block must have 64 threads at least
    reduce4<<<blocks, tpb, tpb * sizeof(int)>>>(di, dout, n);
    cudaMemcpy(o.data(), dout, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(di);
    cudaFree(dout);
    for (int x : o) got += x;
    if (got != want) { printf("%ld instead of %ld\n", got, want); return 1; }
    return 0;
}
