// expect: nothing
// A recursion of depth 40 per thread with a small frame: far from the end of the stack.
#include <cstdio>
#include <vector>

__device__ int sum_down(const int* in, int i, int* odd) {
    if (i < 0) return 0;
    *odd += in[i] % 2;
    return in[i] + sum_down(in, i - 1, odd);
}

__global__ void climb(const int* in, int* out) {
    int odd = 0;
    int sum = sum_down(in, threadIdx.x, &odd);
    out[threadIdx.x] = sum + odd;
}

int main() {
    const int n = 40, m = 40;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i;
    for (int i = 0; i < n; ++i) want[i] = i * (i + 1) / 2 + (i + 1) / 2;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    climb<<<1, 40>>>(d_in, d_out);
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
