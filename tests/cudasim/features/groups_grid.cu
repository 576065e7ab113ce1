// feature: Cooperative groups: grid_group, its ranks, and sync in a cooperative launch
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void smooth(int* from, int* to, int size, int* wrong) {
    cg::grid_group grid = cg::this_grid();
    const int rank = static_cast<int>(grid.thread_rank());
    if (!grid.is_valid() || grid.size() != 64 || grid.num_threads() != 64 ||
        grid.num_blocks() != 4 || grid.block_rank() != blockIdx.x ||
        grid.group_dim().x != 4 || rank != static_cast<int>(blockIdx.x * 16 + threadIdx.x)) {
        atomicAdd(wrong, 1);
    }
    for (int step = 0; step < 3; step++) {
        to[rank] = from[rank] + from[(rank + 1) % size];
        grid.sync();
        int* const other = from;
        from = to;
        to = other;
        cg::sync(grid);
    }
}

int main() {
    int *from, *to, *wrong, size = 64;
    cudaMallocManaged(&from, 64 * sizeof(int));
    cudaMallocManaged(&to, 64 * sizeof(int));
    cudaMallocManaged(&wrong, sizeof(int));
    *wrong = 0;
    for (int i = 0; i < 64; i++) {
        from[i] = i;
    }
    void* arguments[] = {&from, &to, &size, &wrong};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(4), dim3(16), arguments, 0,
                                nullptr);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = *wrong;
    for (int i = 0; i < 64; i++) {
        const int expected = i + 3 * ((i + 1) % 64) + 3 * ((i + 2) % 64) + (i + 3) % 64;
        sum += to[i] != expected;
    }
    if (sum) std::printf("grid_group: %d are wrong\n", sum);
    cudaFree(from);
    cudaFree(to);
    cudaFree(wrong);
    return sum != 0;
}
