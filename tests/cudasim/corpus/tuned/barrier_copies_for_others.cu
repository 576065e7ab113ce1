// expect: nothing
// Copies that phases of a cuda::barrier wait for: by all threads, by one for all of them, and for
// two barriers in turn, where one warp waits and __syncthreads() tells the others.
#include <cooperative_groups.h>
#include <cuda/barrier>

#include <cstdio>
#include <utility>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void sum_tiles(const int* in, int* out, int num_tiles) {
    __shared__ alignas(16) int tile[2][64];
    __shared__ Barrier ready[2], all;
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) {
        init(&ready[0], 64);
        init(&ready[1], 64);
        init(&all, 64);
    }
    block.sync();
    int sum = 0;
    for (int i = 0; i < num_tiles; ++i) {
        cuda::memcpy_async(block, tile[0], in + i * 64, sizeof tile[0], all);
        all.arrive_and_wait();
        sum += tile[0][63 - t];
        all.arrive_and_wait();
    }
    for (int i = 0; i < num_tiles; ++i) {
        if (t == 5) {
            cuda::memcpy_async(tile[1], in + i * 64, cuda::aligned_size_t<16>(256), all);
        }
        Barrier::arrival_token token = all.arrive();
        sum *= 3;
        all.wait(std::move(token));
        sum += tile[1][63 - t];
        block.sync();
    }
    const auto fetch = [&](int i) {
        if (i < num_tiles) {
            cuda::memcpy_async(&tile[i % 2][t], in + i * 64 + t, sizeof(int), ready[i % 2]);
        }
        return ready[i % 2].arrive();
    };
    Barrier::arrival_token even = fetch(0), odd = fetch(1);
    for (int i = 0; i < num_tiles; ++i) {
        if (t < 32) ready[i % 2].wait(std::move(i % 2 ? odd : even));
        __syncthreads();
        sum = 3 * sum + tile[i % 2][63 - t];
        __syncthreads();
        if (i % 2) {
            odd = fetch(i + 2);
        } else {
            even = fetch(i + 2);
        }
    }
    out[t] = sum;
}

int main() {
    const int num_tiles = 5;
    std::vector<int> in(num_tiles * 64), out(64);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 29 % 83);
    int *din, *dout;
    cudaMalloc(&din, in.size() * 4);
    cudaMalloc(&dout, out.size() * 4);
    cudaMemcpy(din, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    sum_tiles<<<1, 64>>>(din, dout, num_tiles);
    cudaMemcpy(out.data(), dout, out.size() * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int i = 0; i < num_tiles; ++i) sum += in[i * 64 + 63 - t];
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < num_tiles; ++i) sum = 3 * sum + in[i * 64 + 63 - t];
        }
        wrong += out[t] != sum;
    }
    if (wrong) std::printf("%d sums are wrong\n", wrong);
    cudaFree(din);
    cudaFree(dout);
    return wrong != 0;
}
