// feature: __threadfence_block, __threadfence and __threadfence_system
// area: language
#include <cstdio>

__device__ unsigned tickets = 0;

// The last block to finish adds up what all blocks have left.
__global__ void sum(const int* in, volatile int* parts, int* out, int n) {
    __shared__ int total;
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&total, in[i]);
    }
    __threadfence_block();
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = total;
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int all = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            all += parts[block];
        }
        *out = all;
        __threadfence_system();
    }
}

int main() {
    const int n = 1000, blocks = 16;
    int *in, *parts, *out, host[n], result = 0;
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&parts, blocks * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<blocks, 64>>>(in, parts, out, n);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(parts);
    cudaFree(out);
    if (result != n * (n - 1) / 2) {
        std::printf("the sum is %d\n", result);
        return 1;
    }
    return cudaGetLastError() != cudaSuccess;
}
