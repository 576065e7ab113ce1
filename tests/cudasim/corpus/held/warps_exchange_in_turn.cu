// expect: nothing
// Two warps pass a row of shared memory to and fro; barriers part filling from emptying.
#include <cstdio>
#include <vector>

__global__ void pass(const int* in, int* out) {
    __shared__ int row[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int turn = 0; turn < 2; ++turn) {
        if (warp == turn) row[lane] = in[threadIdx.x] * 2;
        __syncthreads();
        if (warp != turn) out[threadIdx.x] = row[lane] + turn;
        __syncthreads();
    }
}

int main() {
    const int n = 64, m = 64;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 3 % 50;
    for (int i = 0; i < 64; ++i) {
        int other = i < 32 ? i + 32 : i - 32;
        want[i] = in[other] * 2 + (i < 32);
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    pass<<<1, 64>>>(d_in, d_out);
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
