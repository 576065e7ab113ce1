// expect: nothing
// Tree reduction whose last steps stay within one warp, each parted by __syncwarp.
#include <cstdio>
#include <vector>

__global__ void reduce(const int* in, int* out) {
    __shared__ int partial[256];
    int tid = threadIdx.x;
    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int stride = 128; stride >= 32; stride /= 2) {
        if (tid < stride) partial[tid] += partial[tid + stride];
        __syncthreads();
    }
    if (tid < 32) {
        for (int stride = 16; stride > 0; stride /= 2) {
            int other = partial[tid + stride];
            __syncwarp();
            partial[tid] += other;
            __syncwarp();
        }
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 512, m = 2;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i % 13;
    for (int i = 0; i < n; ++i) want[i / 256] += in[i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<2, 256>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), d_out, m * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < m; ++i) {
        if (out[i] != want[i]) {
            printf("out[%d] is %d, not %d\n", i, out[i], want[i]);
            return 1;
        }
    }
    return 0;
}
