// expect: nothing
// Even and odd elements are relaxed in turn in place: neighbours belong to the other colour.
#include <cstdio>
#include <vector>

__global__ void relax(const int* in, int* out, int n) {
    __shared__ int x[98];
    int i = threadIdx.x;
    x[i] = in[i];
    for (int phase = 0; phase < 6; ++phase) {
        __syncthreads();
        if (i > 0 && i < n - 1 && i % 2 == (phase + 1) % 2) x[i] = (x[i - 1] + x[i + 1]) / 2 + 1;
    }
    out[i] = x[i];
}

int main() {
    const int n = 98, m = 98;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 37 % 55;
    std::vector<int> x = in;
    for (int phase = 0; phase < 6; ++phase) {
        for (int i = 1 + phase % 2; i < n - 1; i += 2) x[i] = (x[i - 1] + x[i + 1]) / 2 + 1;
    }
    want = x;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    relax<<<1, 98>>>(d_in, d_out, n);
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
