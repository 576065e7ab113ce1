// expect: nothing
// Threads behind the end leave at once; the kernel has no barrier, so that is no fault.
#include <cstdio>
#include <vector>

__global__ void mirror(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i];
    out[i] += in[i] + in[n - 1 - i];
}

int main() {
    const int n = 75, m = 75;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * i % 91;
    for (int i = 0; i < n; ++i) want[i] = in[i] * 2 + in[n - 1 - i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    mirror<<<3, 32>>>(d_in, d_out, n);
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
