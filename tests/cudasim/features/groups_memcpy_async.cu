// feature: Cooperative groups: memcpy_async, wait and wait_prior
// area: groups
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void copy(const int* in, int* out, int size) {
    __shared__ alignas(16) int tile[2][100];
    const cg::thread_block block = cg::this_thread_block();
    const int half = size / 2;
    cg::memcpy_async(block, tile[0], in, sizeof(int) * half);
    cg::memcpy_async(block, tile[1], in + half, cuda::aligned_size_t<4>(sizeof(int) * half));
    cg::wait_prior<1>(block);
    for (int i = static_cast<int>(block.thread_rank()); i < half; i += 32) {
        out[i] = tile[0][half - 1 - i];
    }
    cg::wait(block);
    for (int i = static_cast<int>(block.thread_rank()); i < half; i += 32) {
        out[half + i] = tile[1][half - 1 - i];
    }
    block.sync();
    const auto warp = cg::tiled_partition<32>(block);
    cg::memcpy_async(warp, tile[0], 10, in, 20);
    cg::wait(warp);
    if (warp.thread_rank() < 10) {
        out[size + warp.thread_rank()] = tile[0][9 - warp.thread_rank()];
    }
}

int main() {
    int *in, *out;
    const int size = 198, half = size / 2;
    cudaMallocManaged(&in, size * sizeof(int));
    cudaMallocManaged(&out, (size + 10) * sizeof(int));
    for (int i = 0; i < size; i++) {
        in[i] = i * i;
    }
    copy<<<1, 32>>>(in, out, size);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int wrong = 0;
    for (int i = 0; i < half; i++) {
        wrong += out[i] != in[half - 1 - i];
        wrong += out[half + i] != in[size - 1 - i];
    }
    for (int i = 0; i < 10; i++) {
        wrong += out[size + i] != in[9 - i];
    }
    if (wrong) std::printf("memcpy_async of a group: %d are wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
    return wrong != 0;
}
