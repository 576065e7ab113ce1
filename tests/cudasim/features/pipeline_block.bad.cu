// expect: deadlock
#include <cooperative_groups.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

// Stages are never given back, so the third copy has no place to go.
__global__ void without_release(int* out) {
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int step = 0; step < 3; step++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile[step % 2], out, sizeof tile[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    without_release<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
