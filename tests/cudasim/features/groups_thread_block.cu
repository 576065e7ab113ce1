// feature: Cooperative groups: thread_block with rank, size, index and sync
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reverse(int* out, int* shape) {
    __shared__ int tile[96];
    cg::thread_block block = cg::this_thread_block();
    const unsigned rank = block.thread_rank();
    tile[rank] = static_cast<int>(rank);
    block.sync();
    out[block.group_index().x * block.size() + rank] = tile[block.num_threads() - 1 - rank];
    cg::sync(block);
    tile[rank] = static_cast<int>(block.thread_index().y * 100 + block.thread_index().x);
    cg::thread_group any = block;
    any.sync();
    if (rank == 0 && blockIdx.x == 0) {
        shape[0] = static_cast<int>(block.group_dim().x);
        shape[1] = static_cast<int>(block.dim_threads().y);
        shape[2] = tile[95];
        shape[3] = static_cast<int>(any.size());
    }
}

int main() {
    int *out, *shape;
    cudaMallocManaged(&out, 192 * sizeof(int));
    cudaMallocManaged(&shape, 4 * sizeof(int));
    reverse<<<2, dim3(16, 6)>>>(out, shape);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int wrong = 0;
    for (int i = 0; i < 192; i++) {
        wrong += out[i] != 95 - i % 96;
    }
    wrong += shape[0] != 16 || shape[1] != 6 || shape[2] != 515 || shape[3] != 96;
    if (wrong) std::printf("thread_block: %d are wrong\n", wrong);
    cudaFree(out);
    cudaFree(shape);
    return wrong != 0;
}
