// expect: nothing
// Memory set, copied from device to device and handed on: all of it counts as written.
#include <cstdio>
#include <vector>

__global__ void add(const int* a, const int* b, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}

int main() {
    const int n = 60, m = 60;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 2;
    for (int i = 0; i < n; ++i) want[i] = i < 30 ? in[i] + 0x01010101 : 2 * in[i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int* d_copy;
    cudaMalloc(&d_copy, n * sizeof(int));
    cudaMemset(d_copy, 1, 30 * sizeof(int));
    cudaMemcpy(d_copy + 30, d_in + 30, 30 * sizeof(int), cudaMemcpyDeviceToDevice);
    add<<<2, 30>>>(d_in, d_copy, d_out);
    cudaFree(d_copy);
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
