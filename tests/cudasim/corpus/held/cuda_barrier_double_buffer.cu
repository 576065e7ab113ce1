// expect: nothing
// Producer warps and consumer warps with four cuda::barriers (two full, two empty), after the programming guide's pattern.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>
#include <vector>

using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int BUF = 64;

__device__ void producer(barrier ready[], barrier filled[], float* buffer, const float* in, int N, int rank, int threads) {
    for (int i = 0; i < N / BUF; ++i) {
        ready[i % 2].arrive_and_wait();
        for (int k = rank; k < BUF; k += threads) buffer[i % 2 * BUF + k] = in[i * BUF + k];
        barrier::arrival_token token = filled[i % 2].arrive();
        (void)token;
    }
}

__device__ void consumer(barrier ready[], barrier filled[], const float* buffer, float* out, int N, int rank, int threads) {
    barrier::arrival_token token1 = ready[0].arrive();
    barrier::arrival_token token2 = ready[1].arrive();
    (void)token1, (void)token2;
    for (int i = 0; i < N / BUF; ++i) {
        filled[i % 2].arrive_and_wait();
        float s = 0;
        for (int k = rank; k < BUF; k += threads) s += buffer[i % 2 * BUF + (k * 5 + 1) % BUF];
        atomicAdd(&out[i], s);
        barrier::arrival_token token = ready[i % 2].arrive();
        (void)token;
    }
}

__global__ void producer_consumer_pattern(int N, const float* in, float* out) {
    __shared__ float buffer[2 * BUF];
    __shared__ barrier bar[4];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
    block.sync();
    const float* my_in = in + blockIdx.x * N;
    float* my_out = out + blockIdx.x * (N / BUF);
    if (block.thread_rank() < warpSize)
        producer(bar, bar + 2, buffer, my_in, N, block.thread_rank(), warpSize);
    else
        consumer(bar, bar + 2, buffer, my_out, N, block.thread_rank() - warpSize, block.size() - warpSize);
}

int main() {
    const int N = 7 * BUF, blocks = 2;
    std::vector<float> h(N * blocks), s(7 * blocks);
    for (int i = 0; i < N * blocks; ++i) h[i] = i % 29;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, s.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, s.size() * sizeof(float));
    producer_consumer_pattern<<<blocks, 96>>>(N, in, out);
    cudaMemcpy(s.data(), out, s.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (size_t b = 0; b < s.size(); ++b) {
        float want = 0;
        for (int k = 0; k < BUF; ++k) want += h[b * BUF + k];
        if (want != s[b]) {
            printf("sum %zu is %f, not %f\n", b, s[b], want);
            return 1;
        }
    }
    return 0;
}
