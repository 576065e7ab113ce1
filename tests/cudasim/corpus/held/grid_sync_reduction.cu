// expect: nothing
// Block sums to global memory, grid.sync, then each block scales its part by the total.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void scale_by_total(const int* in, int* out, int* sums) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    int sum = __reduce_add_sync(0xffffffffu, in[i]);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    grid.sync();
    int total = sums[0] + sums[1] + sums[2];
    out[i] = in[i] * total;
}

int main() {
    const int n = 96, m = 96;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i % 10;
    int total = 0;
    for (int x : in) total += x;
    for (int i = 0; i < n; ++i) want[i] = in[i] * total;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int* d_sums;
    cudaMalloc(&d_sums, 3 * sizeof(int));
    void* args[] = {&d_in, &d_out, &d_sums};
    cudaLaunchCooperativeKernel(scale_by_total, dim3(3), dim3(32), args);
    cudaFree(d_sums);
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
