// expect: nothing
// Atomics of block scope on global cells that only one block touches.
#include <cstdio>
#include <vector>

__global__ void sum(const int* in, int* out) {
    atomicAdd_block(&out[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
    const int n = 128, m = 2;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i % 21;
    for (int i = 0; i < n; ++i) want[i / 64] += in[i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemset(d_out, 0, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sum<<<2, 64>>>(d_in, d_out);
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
