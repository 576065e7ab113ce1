// expect: nothing
// Filter: lanes that meet in the branch elect a leader, which reserves room for all of them.
#include <algorithm>
#include <cstdio>
#include <vector>

__device__ int reserve(int* counter) {
    unsigned active = __activemask();
    int lane = threadIdx.x % warpSize;
    int leader = __ffs(active) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void keep_multiples(const int* in, int n, int* out, int* counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) out[reserve(counter)] = in[i];
}

int main() {
    const int n = 450;
    std::vector<int> in(n), out(n), want;
    for (int i = 0; i < n; ++i) {
        in[i] = i * 7 + 2;
        if (in[i] % 3 == 0) want.push_back(in[i]);
    }
    int *d_in, *d_out, *d_counter, count;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_counter, sizeof(int));
    cudaMemset(d_counter, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    keep_multiples<<<5, 96>>>(d_in, n, d_out, d_counter);
    cudaMemcpy(&count, d_counter, sizeof(int), cudaMemcpyDeviceToHost);
    out.resize(count);
    cudaMemcpy(out.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_counter);
    std::sort(out.begin(), out.end());  // the order of the warps is not fixed
    if (out != want) printf("%d values kept, not %zu\n", count, want.size());
    return out != want;
}
