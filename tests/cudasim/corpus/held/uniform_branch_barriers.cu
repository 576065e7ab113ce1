// expect: nothing
// Barriers in branches and loops that all threads of a block take alike; odd blocks leave early.
#include <cstdio>

__device__ int rotate(int value, int* shared) {
    shared[threadIdx.x] = value;
    __syncthreads();
    int result = shared[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return result;
}

__global__ void work(int* out, int trips) {
    __shared__ int shared[40];
    if (blockIdx.x % 2 == 1) return;
    int value = threadIdx.x;
    if (blockIdx.x == 0) {
        value = rotate(value, shared);
    } else {
        for (int i = 0; i < trips + blockIdx.x; ++i) {
            value = rotate(value, shared) + 1;
            if (i == 4) break;
        }
    }
    if (__syncthreads_or(value == 7) && __syncthreads_count(value >= 0) != 40) value = -1;
    out[blockIdx.x / 2 * blockDim.x + threadIdx.x] = value;
}

int main() {
    const int threads = 40, blocks = 6, n = blocks / 2 * threads;
    int out[n], *d_out;
    cudaMalloc(&d_out, sizeof(out));
    work<<<blocks, threads>>>(d_out, 2);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        int block = i / threads * 2, turns = block == 0 ? 1 : block == 2 ? 4 : 5;
        int want = (i % threads + turns) % threads + (block == 0 ? 0 : turns);
        if (out[i] != want) {
            printf("out[%d] is %d, not %d\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
