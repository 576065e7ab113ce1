// expect: nothing
// A scan over many tiles by one warp: the last lane hands its sum on by shuffle.
#include <cstdio>
#include <vector>

__global__ void scan(const int* in, int* out, int n) {
    int lane = threadIdx.x, carry = 0;
    for (int start = 0; start < n; start += 32) {
        int i = start + lane;
        int sum = i < n ? in[i] : 0;
        for (int offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, offset);
            if (lane >= offset) sum += other;
        }
        sum += carry;
        if (i < n) out[i] = sum;
        carry = __shfl_sync(0xffffffffu, sum, 31);
    }
}

int main() {
    const int n = 200, m = 200;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i % 9 - 2;
    for (int i = 0, sum = 0; i < n; ++i) want[i] = sum += in[i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, 32>>>(d_in, d_out, n);
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
