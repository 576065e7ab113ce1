// expect: nothing
// Tree reduction in shared memory with 100 threads: the first step folds the odd part.
#include <cstdio>
#include <vector>

__global__ void reduce(const int* in, int* out, int n) {
    __shared__ int partial[128];
    int tid = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    partial[tid] = sum;
    __syncthreads();
    for (int active = blockDim.x; active > 1;) {
        int half = (active + 1) / 2;
        if (tid < active / 2) partial[tid] += partial[tid + half];
        __syncthreads();
        active = half;
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 2345, blocks = 3;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += in[i] = i % 23 - 7;
    int *d_in, *d_out, out[blocks];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, blocks * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<blocks, 100>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    if (out[0] + out[1] + out[2] != want) {
        printf("sum is %d, not %d\n", out[0] + out[1] + out[2], want);
        return 1;
    }
    return 0;
}
