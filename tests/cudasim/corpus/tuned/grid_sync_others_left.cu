// expect: deadlock
// may: barrier-divergence
// One block leaves a loop with grid.sync() one round earlier than the other.
#include <cooperative_groups.h>

__global__ void rounds(int* out) {
    auto grid = cooperative_groups::this_grid();
    int n = blockIdx.x == 0 ? 2 : 3;
    for (int r = 0; r < n; ++r) {
        grid.sync();  // <- deadlock
        if (grid.thread_rank() == 0) *out = r;
    }
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    void* args[] = {&out};
    cudaLaunchCooperativeKernel(rounds, dim3(2), dim3(32), args);
    cudaDeviceSynchronize();
    cudaFree(out);
}
