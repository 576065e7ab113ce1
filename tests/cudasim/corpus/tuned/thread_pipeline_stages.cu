// expect: nothing
// cuda::pipeline of a thread: stages waited for one by one, all but the newest ones, with commits
// that hold nothing, and tiles of a warp that only __syncwarp() orders.
#include <cuda/pipeline>

#include <cstdio>
#include <vector>

template <int STAGES>
__global__ void one_by_one(const int* in, int* out, int num_tiles) {
    __shared__ int tile[STAGES][64];
    const int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    int next = 0, sum = 0;
    for (int i = 0; i < num_tiles; ++i) {
        for (; next < num_tiles && next < i + STAGES; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[next % STAGES][t], in + next * 64 + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum = 3 * sum + tile[i % STAGES][63 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    out[t] = sum;
}

__global__ void all_but_the_newest(const int* in, int* out, int num_tiles) {
    __shared__ alignas(16) int tile[3][2][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto pipe = cuda::make_pipeline();
    const auto fetch = [&](int i) {
        pipe.producer_acquire();
        if (i < num_tiles && lane < 8) {
            cuda::memcpy_async(&tile[i % 3][warp][lane * 4],
                               in + i * 64 + warp * 32 + lane * 4, cuda::aligned_size_t<16>(16),
                               pipe);
        }
        pipe.producer_commit();
    };
    fetch(0);
    fetch(1);
    int sum = 0;
    for (int i = 0; i < num_tiles; ++i) {
        fetch(i + 2);
        cuda::pipeline_consumer_wait_prior<2>(pipe);
        __syncwarp();
        sum = 3 * sum + tile[i % 3][warp][31 - lane];
        __syncwarp();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main() {
    const int num_tiles = 7;
    std::vector<int> in(num_tiles * 64), out(64);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 37 % 101);
    int *din, *dout;
    cudaMalloc(&din, in.size() * 4);
    cudaMalloc(&dout, out.size() * 4);
    cudaMemcpy(din, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    int wrong = 0;
    for (int which = 0; which < 4; ++which) {
        if (which == 0) one_by_one<1><<<1, 64>>>(din, dout, num_tiles);
        if (which == 1) one_by_one<2><<<1, 64>>>(din, dout, num_tiles);
        if (which == 2) one_by_one<4><<<1, 64>>>(din, dout, num_tiles);
        if (which == 3) all_but_the_newest<<<1, 64>>>(din, dout, num_tiles);
        cudaMemcpy(out.data(), dout, out.size() * 4, cudaMemcpyDeviceToHost);
        for (int t = 0; t < 64; ++t) {
            int sum = 0;
            const int from = which < 3 ? 63 - t : t / 32 * 32 + 31 - t % 32;
            for (int i = 0; i < num_tiles; ++i) sum = 3 * sum + in[i * 64 + from];
            wrong += out[t] != sum;
        }
    }
    if (wrong) std::printf("%d sums are wrong\n", wrong);
    cudaFree(din);
    cudaFree(dout);
    return wrong != 0;
}
