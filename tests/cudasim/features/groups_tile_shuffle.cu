// feature: Cooperative groups: thread_block_tile with shfl, shfl_up, shfl_down, shfl_xor
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct Wide {
    double a, b;
    int c[3];
};

template <unsigned Size>
__device__ int check(cg::thread_block_tile<Size> tile, int thread) {
    const int size = static_cast<int>(Size), rank = static_cast<int>(tile.thread_rank());
    const int first = thread / size * size;
    int wrong = tile.size() != Size || tile.num_threads() != Size || rank != thread % size;
    wrong += tile.shfl(thread, 0) != first;
    wrong += tile.shfl(thread, rank + 1) != first + (rank + 1) % size;
    wrong += tile.shfl_up(thread, 1) != (rank >= 1 ? thread - 1 : thread);
    wrong += tile.shfl_down(thread, 1) != (rank + 1 < size ? thread + 1 : thread);
    if (size > 1) {
        wrong += tile.shfl_xor(thread, 1) != (thread ^ 1);
    }
    const Wide wide{thread * 0.5, -thread * 1.0, {thread, thread + 1, thread + 2}};
    const Wide got = tile.shfl(wide, size - 1);
    const int last = first + size - 1;
    wrong += got.a != last * 0.5 || got.b != -last || got.c[0] != last || got.c[2] != last + 2;
    tile.sync();
    return wrong;
}

__global__ void shuffle(int* wrong) {
    const cg::thread_block block = cg::this_thread_block();
    const int thread = static_cast<int>(threadIdx.x);
    const auto tile32 = cg::tiled_partition<32>(block);
    const auto tile8 = cg::tiled_partition<8>(tile32);
    int bad = check<32>(tile32, thread);
    bad += check<16>(cg::tiled_partition<16>(block), thread);
    bad += check<8>(tile8, thread);
    bad += check<4>(cg::tiled_partition<4>(block), thread);
    bad += check<2>(cg::tiled_partition<2>(block), thread);
    bad += check<1>(cg::tiled_partition<1>(block), thread);
    bad += static_cast<int>(tile32.meta_group_size()) != 3;
    bad += static_cast<int>(tile32.meta_group_rank()) != thread / 32;
    bad += tile8.meta_group_size() != 4;
    bad += static_cast<int>(tile8.meta_group_rank()) != thread % 32 / 8;
    const char letter = tile32.shfl(static_cast<char>('a' + thread % 26), 3);
    bad += letter != static_cast<char>('a' + (thread / 32 * 32 + 3) % 26);
    wrong[thread] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 96 * sizeof(int));
    shuffle<<<1, 96>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 96; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("thread_block_tile: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
