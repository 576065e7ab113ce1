// expect: deadlock
// may: barrier-divergence
// Blocks without work leave a cooperative kernel before the grid meets.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void two_phases(int* data, int* out, int n) {
    cg::grid_group grid = cg::this_grid();
    if (blockIdx.x * blockDim.x >= n) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    grid.sync();  // <- deadlock
    out[i] = data[n - 1 - i];
}

int main() {
    int n = 64, *d_data, *d_out;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    void* args[] = {&d_data, &d_out, &n};
    cudaLaunchCooperativeKernel(two_phases, dim3(3), dim3(32), args);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    cudaFree(d_out);
    return 0;
}
