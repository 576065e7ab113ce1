// feature: Cooperative groups: tiled_partition with a size that is known at run time
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

// Adds up over any group that has shared memory of its own.
__device__ int sum_of(const cg::thread_group& group, int* scratch, int value) {
    const int rank = static_cast<int>(group.thread_rank());
    for (int i = static_cast<int>(group.size()) / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i) value += scratch[rank + i];
        group.sync();
    }
    return value;
}

__global__ void sums(int* out, int* wrong, unsigned size) {
    __shared__ int scratch[64];
    const cg::thread_block block = cg::this_thread_block();
    const int thread = static_cast<int>(threadIdx.x);
    const cg::thread_group tile = cg::tiled_partition(block, size);
    const int first = thread / static_cast<int>(size) * static_cast<int>(size);
    int bad = tile.size() != size || tile.thread_rank() != threadIdx.x % size;
    const int sum = sum_of(tile, scratch + first, thread);
    if (tile.thread_rank() == 0) out[thread / static_cast<int>(size)] = sum;
    cg::sync(block);
    const int whole = sum_of(block, scratch, 1);
    bad += thread == 0 && whole != 64;

    const auto warp = cg::tiled_partition<32>(block);
    const cg::coalesced_group odd = cg::binary_partition(warp, thread % 2 != 0);
    const cg::coalesced_group four = cg::tiled_partition(odd, 4);
    bad += four.size() != 4 || four.thread_rank() != odd.thread_rank() % 4;
    bad += four.meta_group_rank() != odd.thread_rank() / 4 || four.meta_group_size() != 4;
    bad += four.shfl(thread, 0) != thread - 2 * static_cast<int>(four.thread_rank());
    wrong[thread] = bad;
}

int main() {
    int *out, *wrong;
    cudaMallocManaged(&out, 64 * sizeof(int));
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    int num_wrong = 0;
    for (int size = 1; size <= 32; size *= 2) {
        sums<<<1, 64>>>(out, wrong, static_cast<unsigned>(size));
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        for (int i = 0; i < 64; i++) {
            num_wrong += wrong[i];
        }
        for (int i = 0; i < 64 / size; i++) {
            num_wrong += out[i] != size * (2 * i * size + size - 1) / 2;
        }
    }
    if (num_wrong) std::printf("tiled_partition at run time: %d are wrong\n", num_wrong);
    cudaFree(out);
    cudaFree(wrong);
    return num_wrong != 0;
}
