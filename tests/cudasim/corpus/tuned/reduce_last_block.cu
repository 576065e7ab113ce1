// expect: nothing
// Sum in one launch: the block that finishes last adds up the partial sums of all.
#include <cstdio>
#include <vector>

__device__ unsigned tickets = 0;

__global__ void reduce(const int* in, int* partial, int* out, int n) {
    __shared__ int sums[64];
    __shared__ bool is_last;
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sums[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) sums[tid] += sums[tid + stride];
        __syncthreads();
    }
    if (tid == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && tid == 0) {
        int total = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];
        *out = total;
    }
}

int main() {
    const int n = 700, threads = 64, blocks = (n + threads - 1) / threads;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += in[i] = i % 17;
    int *d_in, *d_partial, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_partial, blocks * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int round = 0; round < 2; ++round) {  // atomicInc wraps, so the counter needs no reset
        int out = -1;
        reduce<<<blocks, threads>>>(d_in, d_partial, d_out, n);
        cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
        if (out != want) {
            printf("round %d: sum is %d, not %d\n", round, out, want);
            return 1;
        }
    }
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    return 0;
}
