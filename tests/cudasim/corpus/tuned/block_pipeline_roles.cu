// expect: nothing
// A pipeline of a block whose warps have roles: two copy, two compute, in 3 stages with a partly
// filled last one; and one in which a single thread copies for all.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include <cstdio>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

constexpr int STAGES = 3, WIDTH = 96;
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>;

__global__ void by_roles(const int* in, int* out, int size) {
    __shared__ int tile[STAGES][WIDTH];
    __shared__ State state;
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x, num_tiles = (size + WIDTH - 1) / WIDTH;
    const bool copies = t < 64;
    auto pipe = cuda::make_pipeline(
        block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < num_tiles; ++i) {
        const int count = size - i * WIDTH < WIDTH ? size - i * WIDTH : WIDTH;
        if (copies) {
            pipe.producer_acquire();
            for (int j = t; j < count; j += 64) {
                cuda::memcpy_async(&tile[i % STAGES][j], in + i * WIDTH + j, sizeof(int), pipe);
            }
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int j = 127 - t; j < count; j += 64) sum += tile[i % STAGES][j] * (i + 1);
            pipe.consumer_release();
        }
    }
    if (!copies) out[t - 64] = sum;
}

__global__ void by_one_thread(const int* in, int* out, int size) {
    __shared__ alignas(16) int tile[STAGES][WIDTH];
    __shared__ State state;
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x, num_tiles = (size + WIDTH - 1) / WIDTH;
    auto pipe = cuda::make_pipeline(block, &state, static_cast<size_t>(1));
    int sum = 0;
    for (int i = 0; i < num_tiles; ++i) {
        const int count = size - i * WIDTH < WIDTH ? size - i * WIDTH : WIDTH;
        if (t == 0) {
            pipe.producer_acquire();
            cuda::memcpy_async(tile[i % STAGES], in + i * WIDTH, count * sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int j = 64 - t; j < count; j += 64) sum += tile[i % STAGES][j] * (i + 1);
            pipe.consumer_release();
        }
    }
    if (t > 0) out[t - 1] = sum;
}

int main() {
    const int size = 10 * WIDTH + 29;
    std::vector<int> in(size), out(64);
    for (int i = 0; i < size; ++i) in[i] = i * 31 % 97;
    int *din, *dout;
    cudaMalloc(&din, size * sizeof(int));
    cudaMalloc(&dout, 64 * sizeof(int));
    cudaMemcpy(din, in.data(), size * sizeof(int), cudaMemcpyHostToDevice);
    int want = 0, wrong = 0;
    for (int i = 0; i < size; ++i) want += in[i] * (i / WIDTH + 1);
    for (int which = 0; which < 2; ++which) {
        if (which == 0) by_roles<<<1, 128>>>(din, dout, size);
        if (which == 1) by_one_thread<<<1, 65>>>(din, dout, size);
        cudaMemcpy(out.data(), dout, 64 * sizeof(int), cudaMemcpyDeviceToHost);
        int sum = 0;
        for (int one : out) sum += one;
        wrong += sum != want;
    }
    if (wrong) std::printf("%d sums are wrong\n", wrong);
    cudaFree(din);
    cudaFree(dout);
    return wrong != 0;
}
