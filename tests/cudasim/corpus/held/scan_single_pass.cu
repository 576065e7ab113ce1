// expect: nothing
// Scan in one launch: a block takes the next tile, then waits for the total of the tile before.
#include <cstdio>
#include <vector>

constexpr int THREADS = 32;

__device__ unsigned next_tile;

__global__ void scan(const int* in, int* out, int* prefix, int* ready, int n) {
    __shared__ int values[THREADS];
    __shared__ int tile, before;
    int tid = threadIdx.x;
    // Tiles are handed out in the order of arrival, so the tile before is surely being worked on.
    if (tid == 0) tile = atomicAdd(&next_tile, 1u);
    __syncthreads();
    int i = tile * THREADS + tid;
    int sum = i < n ? in[i] : 0;
    for (int offset = 1; offset < THREADS; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, offset);
        if (tid >= offset) sum += other;
    }
    values[tid] = sum;
    __syncthreads();
    if (tid == 0) {
        before = 0;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0) == 0) {
            }
            __threadfence();
            before = prefix[tile - 1];
        }
        prefix[tile] = before + values[THREADS - 1];
        __threadfence();
        atomicExch(&ready[tile], 1);
    }
    __syncthreads();
    if (i < n) out[i] = before + values[tid];
}

int main() {
    const int n = 500, tiles = (n + THREADS - 1) / THREADS;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i % 5 + 1;
    int *d_in, *d_out, *d_prefix, *d_ready;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_prefix, tiles * sizeof(int));
    cudaMalloc(&d_ready, tiles * sizeof(int));
    cudaMemset(d_ready, 0, tiles * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<tiles, THREADS>>>(d_in, d_out, d_prefix, d_ready, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_prefix);
    cudaFree(d_ready);
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        if (out[i] != sum) {
            printf("out[%d] is %d, not %d\n", i, out[i], sum);
            return 1;
        }
    }
    return 0;
}
