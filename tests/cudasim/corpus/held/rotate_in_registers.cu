// expect: nothing
// A private array indexed at run time and rotated: each thread has its own.
#include <cstdio>
#include <vector>

__global__ void rotate(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine[8];
    for (int j = 0; j < 8; ++j) mine[(j + 8 - i % 8) % 8] = in[i / 8 * 8 + j];
    int sum = 0;
    for (int j = 0; j < 8; ++j) sum += mine[j] * (j + 1);
    out[i] = sum;
}

int main() {
    const int n = 64, m = 64;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 29 % 83;
    for (int i = 0; i < 64; ++i) {
        for (int j = 0; j < 8; ++j) want[i] += in[(i / 8 * 8 + (j + i) % 8) % 64] * (j + 1);
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    rotate<<<2, 32>>>(d_in, d_out);
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
