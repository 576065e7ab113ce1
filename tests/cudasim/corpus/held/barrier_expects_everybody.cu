// expect: deadlock
// cuda::barrier between a producer warp and its consumers: the expected count takes the producers in twice.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>
#include <utility>
#include <vector>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void produce_consume(const float* in, float* out, int n) {
    __shared__ float slot[32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full;
    if (threadIdx.x == 0) init(&full, blockDim.x + 32);
    __syncthreads();
    const int lane = threadIdx.x % 32, i = blockIdx.x * 32 + lane;
    if (threadIdx.x < 32) {
        slot[lane] = i < n ? in[i] : 0.f;
        [[maybe_unused]] auto token = full.arrive();
    } else {
        full.arrive_and_wait();  // <- deadlock
        if (i < n) out[i] = slot[31 - lane];
    }
}

int main() {
    const int n = 90;
    std::vector<float> h(n, 1.f);
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    produce_consume<<<3, 64>>>(a, b, n);
    cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
