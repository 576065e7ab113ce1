// expect: nothing
// A loop with barriers whose number of rounds is rounded up, so that all threads go along.
#include <cstdio>
#include <vector>

__global__ void swap_pairs(const int* in, int* out, int n) {
    __shared__ int tile[48];
    int rounds = (n + blockDim.x - 1) / blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        int i = round * blockDim.x + threadIdx.x;
        if (i < n) tile[threadIdx.x] = in[i];
        __syncthreads();
        if (i < n) out[i] = tile[threadIdx.x ^ 1];
        __syncthreads();
    }
}

int main() {
    const int n = 130, m = 130;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 11 % 60;
    for (int i = 0; i < n; ++i) want[i] = in[i ^ 1];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    swap_pairs<<<1, 48>>>(d_in, d_out, n);
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
