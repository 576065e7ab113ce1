// expect: invalid-mask
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void use_of_the_others_group(int* out) {
    __shared__ unsigned odd_lanes;
    if (threadIdx.x % 2 == 1) {
        const cg::coalesced_group odd = cg::coalesced_threads();
        const unsigned mask = __activemask();
        if (odd.thread_rank() == 0) odd_lanes = mask;
    }
    __syncthreads();
    const int sum = __shfl_sync(odd_lanes, static_cast<int>(threadIdx.x), 1);
    out[threadIdx.x] = sum;
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    use_of_the_others_group<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
