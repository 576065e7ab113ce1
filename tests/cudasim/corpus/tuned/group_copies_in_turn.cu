// expect: nothing
// cooperative_groups::memcpy_async: two tiles in turn with wait_prior<1>, a last one of fewer
// elements, tiles of warps, and single bytes from an odd address.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void sum_tiles(const int* in, int* out, int size) {
    __shared__ alignas(16) int tile[2][64];
    __shared__ alignas(16) int of_warp[2][32];
    __shared__ char bytes[40];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int t = threadIdx.x, w = t / 32, lane = t % 32, num_tiles = (size + 63) / 64;
    const auto count = [&](int i) { return size - i * 64 < 64 ? size - i * 64 : 64; };
    int sum = 0;
    cg::memcpy_async(block, tile[0], in, sizeof(int) * count(0));
    for (int i = 0; i < num_tiles; ++i) {
        if (i + 1 < num_tiles) {
            cg::memcpy_async(block, tile[(i + 1) % 2], in + (i + 1) * 64,
                             sizeof(int) * count(i + 1));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        if (63 - t < count(i)) sum = 3 * sum + tile[i % 2][63 - t];
        block.sync();
    }
    cg::memcpy_async(warp, of_warp[w], in + 32 * w, sizeof of_warp[w]);
    cg::wait(warp);
    sum += of_warp[w][31 - lane];
    cg::memcpy_async(block, bytes, reinterpret_cast<const char*>(in) + 3, 40);
    cg::wait(block);
    sum += bytes[39 - t % 40];
    out[t] = sum;
}

int main() {
    const int size = 64 * 4 + 21;
    std::vector<int> in(size), out(64);
    for (int i = 0; i < size; ++i) in[i] = i * 29 % 83;
    int *din, *dout;
    cudaMalloc(&din, size * sizeof(int));
    cudaMalloc(&dout, 64 * sizeof(int));
    cudaMemcpy(din, in.data(), size * sizeof(int), cudaMemcpyHostToDevice);
    sum_tiles<<<1, 64>>>(din, dout, size);
    cudaMemcpy(out.data(), dout, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    const char* const bytes = reinterpret_cast<const char*>(in.data()) + 3;
    int wrong = 0;
    for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int i = 0; i < 5; ++i) {
            if (i * 64 + 63 - t < size) sum = 3 * sum + in[i * 64 + 63 - t];
        }
        sum += in[t / 32 * 32 + 31 - t % 32] + bytes[39 - t % 40];
        wrong += out[t] != sum;
    }
    if (wrong) std::printf("%d sums are wrong\n", wrong);
    cudaFree(din);
    cudaFree(dout);
    return wrong != 0;
}
