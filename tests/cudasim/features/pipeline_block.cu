// feature: Asynchronous copies: cuda::pipeline of a block, unified and with roles
// area: memory
#include <cstdio>

#include <cooperative_groups.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

__device__ int input[1024];

template <class Pipeline>
__device__ int consume(Pipeline& pipe, int (*tile)[64], int step, int rank) {
    pipe.consumer_wait();
    const int bad = tile[step % 2][63 - rank] != 5 * (step * 64 + 63 - rank);
    pipe.consumer_release();
    return bad;
}

__global__ void unified(int* wrong) {
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    const int thread = static_cast<int>(block.thread_rank());
    for (int i = thread; i < 1024; i += 64) {
        input[i] = 5 * i;
    }
    block.sync();
    auto pipe = cuda::make_pipeline(block, &state);
    int bad = 0;
    for (int step = 0; step < 10; step++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile[step % 2], input + step * 64, 64 * sizeof(int), pipe);
        pipe.producer_commit();
        if (step > 0) {
            bad += consume(pipe, tile, step - 1, thread);
        }
    }
    bad += consume(pipe, tile, 9, thread);
    wrong[thread] = bad;
}

// The first warp copies, the others use what it copied.
__global__ void roles(int* wrong) {
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const bool is_producer = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int bad = 0;
    for (int step = 0; step < 16; step++) {
        if (is_producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(warp, tile[step % 2], input + step * 64, 64 * sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            bad += consume(pipe, tile, step, static_cast<int>(threadIdx.x) - 32);
        }
    }
    wrong[threadIdx.x] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 160 * sizeof(int));
    unified<<<1, 64>>>(wrong);
    roles<<<1, 96>>>(wrong + 64);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 160; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("cuda::pipeline of a block: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
