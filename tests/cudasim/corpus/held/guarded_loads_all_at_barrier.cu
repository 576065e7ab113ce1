// expect: nothing
// The guard covers the loads and stores only; every thread comes to every barrier.
#include <cstdio>
#include <vector>

__global__ void reverse_tiles(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int first = blockIdx.x * 64, i = first + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    int last = min(63, n - 1 - first);
    if (i < n) out[i] = tile[last - threadIdx.x];
}

int main() {
    const int n = 100, m = 100;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 7 % 30;
    for (int i = 0; i < n; ++i) {
        int last = i / 64 == 0 ? 63 : 99;
        want[i] = in[last - i % 64];
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse_tiles<<<2, 64>>>(d_in, d_out, n);
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
