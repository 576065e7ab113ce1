// expect: nothing
// Shuffle reduction where the last warp has only 13 lanes: its mask names just those.
#include <cstdio>
#include <vector>

__inline__ __device__ int warp_sum(unsigned mask, int value, int lanes) {
    int lane = threadIdx.x % warpSize;
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_sync(mask, value, lane + offset < lanes ? lane + offset : lane);
        if (lane + offset < lanes && lane < offset) value += other;
    }
    return value;
}

__global__ void reduce(const int* in, int* out, int n) {
    __shared__ int warp_sums[32];
    int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    int left = blockDim.x - warp * warpSize;
    int lanes = left < warpSize ? left : warpSize;
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = warp_sum(mask, i < n ? in[i] : 0, lanes);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    int warps = (blockDim.x + warpSize - 1) / warpSize;
    if (threadIdx.x < warps) {
        unsigned few = __ballot_sync((1u << warps) - 1, 1);
        int total = warp_sum(few, warp_sums[threadIdx.x], warps);
        if (threadIdx.x == 0) atomicAdd(out, total);
    }
}

int main() {
    const int n = 1000, threads = 3 * 32 + 13;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += in[i] = (i * i) % 31;
    int *d_in, *d_out, out = -1;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_out, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<(n + threads - 1) / threads, threads>>>(d_in, d_out, n);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    if (out != want) printf("sum is %d, not %d\n", out, want);
    return out != want;
}
