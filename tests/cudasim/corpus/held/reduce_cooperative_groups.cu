// expect: nothing
// Reduction in the manner of the samples: thread_block_tile, cg::reduce, occupancy asked for, device properties, launched by cudaLaunchKernel.
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

template <typename T>
struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
};

template <typename T>
__global__ void reduce(const T* in, T* out, unsigned n) {
    cg::thread_block cta = cg::this_thread_block();
    T* sdata = SharedMemory<T>();
    T sum{};
    for (unsigned i = cta.group_index().x * cta.size() + cta.thread_rank(); i < n; i += gridDim.x * cta.size())
        sum += in[i];
    auto tile = cg::tiled_partition<32>(cta);
    sum = cg::reduce(tile, sum, cg::plus<T>());
    if (tile.thread_rank() == 0) sdata[tile.meta_group_rank()] = sum;
    cg::sync(cta);
    if (tile.meta_group_rank() == 0) {
        T v = tile.thread_rank() < tile.meta_group_size() ? sdata[tile.thread_rank()] : T{};
        v = cg::reduce(tile, v, cg::plus<T>());
        if (tile.thread_rank() == 0) out[blockIdx.x] = v;
    }
}

template <typename T>
static int test(unsigned n) {
    std::vector<T> h(n);
    T want{};
    for (unsigned i = 0; i < n; ++i) want += h[i] = T(i % 12);
    int min_grid = 0, block = 0;
    cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, reduce<T>, 0, 256);
    block = std::min(block, 224) / 32 * 32;
    cudaDeviceProp prop;
    int dev;
    cudaGetDevice(&dev);
    cudaGetDeviceProperties(&prop, dev);
    unsigned grid = std::min<unsigned>(prop.multiProcessorCount, 3u);
    T *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(T));
    cudaMalloc(&d_out, grid * sizeof(T));
    cudaMemcpy(d_in, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    void* args[] = {&d_in, &d_out, &n};
    cudaLaunchKernel((const void*)reduce<T>, dim3(grid), dim3(block), args, 32 * sizeof(T), 0);
    std::vector<T> parts(grid);
    cudaMemcpy(parts.data(), d_out, grid * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    T got{};
    for (T p : parts) got += p;
    return got != want;
}

int main() {
    int bad = test<int>(2003) + 2 * test<double>(1501) + 4 * test<float>(999);
    if (bad) printf("failed: %d\n", bad);
    return bad;
}
