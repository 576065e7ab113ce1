// expect: nothing
// Threads meet at a cuda::barrier in a kernel that takes so long that the scheduler takes turns.
#include <cuda/barrier>
#include <cstdio>

__global__ void rounds(unsigned* out, int n) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier meeting;
    __shared__ unsigned cells[64];
    if (threadIdx.x == 0) init(&meeting, blockDim.x);
    __syncthreads();
    unsigned x = threadIdx.x;
    for (int round = 0; round < n; round++) {
        for (int k = 0; k < 300; k++) x = x * 1664525u + 1013904223u;
        cells[threadIdx.x] = x;
        meeting.arrive_and_wait();
        x += cells[(threadIdx.x + 1) % blockDim.x];
        meeting.arrive_and_wait();
    }
    out[threadIdx.x] = x;
}

int main() {
    unsigned *out, host[64], x[64], next[64];
    const int n = 400;
    cudaMalloc(&out, sizeof host);
    rounds<<<1, 64>>>(out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int t = 0; t < 64; t++) x[t] = t;
    for (int round = 0; round < n; round++) {
        for (int t = 0; t < 64; t++)
            for (int k = 0; k < 300; k++) x[t] = x[t] * 1664525u + 1013904223u;
        for (int t = 0; t < 64; t++) next[t] = x[t] + x[(t + 1) % 64];
        for (int t = 0; t < 64; t++) x[t] = next[t];
    }
    for (int t = 0; t < 64; t++) {
        if (host[t] != x[t]) {
            std::printf("thread %d: %u, not %u\n", t, host[t], x[t]);
            return 1;
        }
    }
    return 0;
}
