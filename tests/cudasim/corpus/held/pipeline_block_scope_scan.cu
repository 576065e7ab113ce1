// expect: nothing
// cuda::pipeline of a block with two stages: batches are copied by cuda::memcpy_async while the one before is reduced.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

template <int STAGES, int BATCH>
__global__ void batch_sums(const int* __restrict__ in, int* __restrict__ sums, int batches) {
    auto block = cg::this_thread_block();
    __shared__ alignas(16) int tile[STAGES][BATCH];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto pipe = cuda::make_pipeline(block, &state);
    auto batch_of = [&](int b) { return in + (size_t(b) * gridDim.x + blockIdx.x) * BATCH; };
    for (int compute = 0, fetch = 0; compute < batches; ++compute) {
        for (; fetch < batches && fetch < compute + STAGES; ++fetch) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % STAGES], batch_of(fetch), cuda::aligned_size_t<16>(sizeof(int) * BATCH), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        int v = 0;
        for (int i = block.thread_rank(); i < BATCH; i += block.size()) v += tile[compute % STAGES][BATCH - 1 - i];
        v = __reduce_add_sync(0xffffffff, v);
        if (threadIdx.x % 32 == 0) atomicAdd(&sums[compute * gridDim.x + blockIdx.x], v);
        pipe.consumer_release();
    }
}

int main() {
    constexpr int BATCH = 128;
    const int batches = 5, blocks = 3, n = batches * blocks * BATCH;
    std::vector<int> h(n), s(batches * blocks);
    for (int i = 0; i < n; ++i) h[i] = i * 7 % 31;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, s.size() * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int bad = 0;
    for (int stages = 1; stages <= 3; ++stages) {
        cudaMemset(out, 0, s.size() * sizeof(int));
        if (stages == 1) batch_sums<1, BATCH><<<blocks, 96>>>(in, out, batches);
        if (stages == 2) batch_sums<2, BATCH><<<blocks, 64>>>(in, out, batches);
        if (stages == 3) batch_sums<3, BATCH><<<blocks, 32>>>(in, out, batches);
        cudaMemcpy(s.data(), out, s.size() * sizeof(int), cudaMemcpyDeviceToHost);
        for (size_t b = 0; b < s.size(); ++b) {
            int want = 0;
            for (int i = 0; i < BATCH; ++i) want += h[b * BATCH + i];
            bad += want != s[b];
        }
    }
    cudaFree(in);
    cudaFree(out);
    if (bad) printf("%d sums differ\n", bad);
    return bad != 0;
}
