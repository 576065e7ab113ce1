// expect: race
// may: uninitialized
// Sum in one pass: the shared flag that tells a block it is the last is read before all threads can know it.
#include <cstdio>
#include <vector>

__device__ unsigned count_done;

__global__ void sum_one_pass(const int* in, int n, int* block_sums, int* out) {
    __shared__ int s[128];
    __shared__ bool am_last;
    int acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) acc += in[i];
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int k = blockDim.x >> 1; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = s[0];  // <- race
        __threadfence();
        am_last = atomicAdd(&count_done, 1u) == gridDim.x - 1;  // <- race
    }
    if (am_last) {  // <- race
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) atomicAdd(out, block_sums[b]);  // <- race
        if (threadIdx.x == 0) count_done = 0;
    }
}

int main() {
    const int n = 1111, blocks = 5;
    std::vector<int> h(n, 3);
    int *in, *part, *out, r;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&part, blocks * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    sum_one_pass<<<blocks, 128>>>(in, n, part, out);
    cudaMemcpy(&r, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(part);
    cudaFree(out);
    printf("%d\n", r);
    return 0;
}
