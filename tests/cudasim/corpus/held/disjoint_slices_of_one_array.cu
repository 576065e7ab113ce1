// expect: nothing
// Warps work on slices of one shared array; only the halves they swap need the barrier.
#include <cstdio>
#include <vector>

__global__ void slices(const int* in, int* out) {
    __shared__ int all[96];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int* mine = all + warp * 32;
    for (int round = 0; round <= warp; ++round) {  // each thread touches its own cell
        mine[lane] = in[threadIdx.x] * (round + 1);
    }
    __syncthreads();
    const int* next = all + (warp + 1) % 3 * 32;
    out[threadIdx.x] = in[threadIdx.x] + next[lane];
}

int main() {
    const int n = 96, m = 96;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 5 % 41;
    for (int i = 0; i < n; ++i) {
        int warp = i / 32, next = (warp + 1) % 3;
        want[i] = in[i] + in[next * 32 + i % 32] * (next + 1);
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    slices<<<1, 96>>>(d_in, d_out);
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
