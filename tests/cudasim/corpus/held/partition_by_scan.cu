// expect: nothing
// Stable partition in one block: warp scans by shuffle, warp totals scanned by the first warp.
#include <cstdio>
#include <vector>

constexpr int WARPS = 4;

__device__ int block_exclusive_scan(int value, int* total) {
    __shared__ int warp_totals[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = value;
    for (int offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, offset);
        if (lane >= offset) sum += other;
    }
    if (lane == 31) warp_totals[warp] = sum;
    __syncthreads();
    if (warp == 0 && lane < WARPS) {
        int mine = warp_totals[lane];
        for (int offset = 1; offset < WARPS; offset *= 2) {
            int other = __shfl_up_sync(0xfu, mine, offset, WARPS);
            if (lane >= offset) mine += other;
        }
        warp_totals[lane] = mine;
    }
    __syncthreads();
    *total = warp_totals[WARPS - 1];
    int before = warp > 0 ? warp_totals[warp - 1] : 0;
    __syncthreads();
    return before + sum - value;
}

__global__ void partition(const int* in, int* out, int n, int pivot) {
    int small_before = 0, smalls = 0, total;
    for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x;
        smalls += __syncthreads_count(i < n && in[i] < pivot);
    }
    for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x;
        int small = i < n && in[i] < pivot;
        int rank = small_before + block_exclusive_scan(small, &total);
        if (i < n) out[small ? rank : smalls + i - rank] = in[i];
        small_before += total;
    }
}

int main() {
    const int n = 333, pivot = 40;
    std::vector<int> in(n), out(n), want;
    for (int i = 0; i < n; ++i) in[i] = i * 57 % 101;
    for (int x : in) if (x < pivot) want.push_back(x);
    for (int x : in) if (x >= pivot) want.push_back(x);
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    partition<<<1, WARPS * 32>>>(d_in, d_out, n, pivot);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        if (out[i] != want[i]) {
            printf("out[%d] is %d, not %d\n", i, out[i], want[i]);
            return 1;
        }
    }
    return 0;
}
