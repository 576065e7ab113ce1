// expect: race
// may: uninitialized
// Two-level scan in one kernel: each block adds the sums of the blocks before it, which may not have been stored yet.
#include <cstdio>
#include <vector>

struct Level {
    int* sums;
    int blocks;
};

__global__ void scan_all(const int* in, int* out, int n, Level level) {
    __shared__ int buf[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    buf[t] = i < n ? in[i] : 0;
    for (int d = 1; d < 128; d <<= 1) {
        __syncthreads();
        const int left = t >= d ? buf[t - d] : 0;
        __syncthreads();
        buf[t] += left;
    }
    if (t == 127) level.sums[blockIdx.x] = buf[127];  // <- race
    __syncthreads();
    int before = 0;
    for (unsigned b = 0; b < blockIdx.x; ++b) before += level.sums[b];  // <- race
    if (i < n) out[i] = buf[t] + before;
}

int main() {
    const int n = 600, blocks = (n + 127) / 128;
    std::vector<int> h(n, 1);
    int *d_in, *d_out;
    Level level{nullptr, blocks};
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&level.sums, blocks * sizeof(int));
    cudaMemset(level.sums, 0, blocks * sizeof(int));
    cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan_all<<<blocks, 128>>>(d_in, d_out, n, level);
    cudaMemcpy(h.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[n - 1]);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(level.sums);
    return 0;
}
