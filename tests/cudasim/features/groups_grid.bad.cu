// expect: launch
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void waits_for_the_grid(int* out) {
    out[threadIdx.x] = 1;
    cg::this_grid().sync();
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    waits_for_the_grid<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
