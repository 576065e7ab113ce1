// expect: nothing
// The lanes of each side of a branch form a group; one member adds the size for all.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void count_sides(const int* in, int n, int* even, int* odd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] % 2 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        if (group.thread_rank() == 0) atomicAdd(even, static_cast<int>(group.size()));
    } else {
        cg::coalesced_group group = cg::coalesced_threads();
        int base = 0;
        if (group.thread_rank() == 0) base = atomicAdd(odd, static_cast<int>(group.size()));
        base = group.shfl(base, 0);
        if (base < 0) atomicAdd(even, 1000);
    }
}

int main() {
    const int n = 205;
    int in[n], even = 0, odd = 0, want = 0, *d_in, *d_counts;
    for (int i = 0; i < n; ++i) {
        in[i] = i * i / 3;
        want += in[i] % 2 == 0;
    }
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_counts, 2 * sizeof(int));
    cudaMemset(d_counts, 0, 2 * sizeof(int));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    count_sides<<<4, 60>>>(d_in, n, d_counts, d_counts + 1);
    cudaMemcpy(&even, d_counts, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&odd, d_counts + 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_counts);
    if (even != want || odd != n - want) {
        printf("%d even and %d odd, not %d and %d\n", even, odd, want, n - want);
        return 1;
    }
    return 0;
}
