// expect: race
// The last 64 values are folded by one warp, volatile and in step, as was the custom once.
#include <vector>

__device__ void fold_warp(volatile int* partial, int tid) {
    partial[tid] += partial[tid + 32];  // <- race
    partial[tid] += partial[tid + 16];  // <- race
    partial[tid] += partial[tid + 8];   // <- race
    partial[tid] += partial[tid + 4];   // <- race
    partial[tid] += partial[tid + 2];   // <- race
    partial[tid] += partial[tid + 1];   // <- race
}

__global__ void reduce(const int* in, int* out) {
    __shared__ int partial[256];
    int tid = threadIdx.x;
    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride) partial[tid] += partial[tid + stride];
        __syncthreads();
    }
    if (tid < 32) fold_warp(partial, tid);
    if (tid == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 512;
    std::vector<int> in(n, 1);
    int *d_in, *d_out, out[2];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<2, 256>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
