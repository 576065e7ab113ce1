// expect: race
// A pipeline of a block with two stages: stage i was waited for, and stage i + 1 is read.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cooperative_groups::this_thread_block();
    const int t = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    for (int i = 0; i < 2; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[i][t], in + i * 64 + t, sizeof(float), pipe);  // <- race
        pipe.producer_commit();
    }
    for (int i = 0; i < 2; ++i) {
        pipe.consumer_wait();
        sum += tile[(i + 1) % 2][63 - t];  // <- race
        pipe.consumer_release();
    }
    out[t] = sum;
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 512 * sizeof(float));
    kernel<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
