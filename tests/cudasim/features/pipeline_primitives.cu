// feature: Asynchronous copies: __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior
// area: memory
#include <cstdio>

#include <cuda_pipeline.h>

__device__ int input[4 * 256];

__global__ void stages(int* wrong) {
    __shared__ alignas(16) int tile[2][256];
    __shared__ alignas(16) int filled[256];
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = 0; i < 16; i++) {
        input[thread * 16 + i] = thread * 16 + i;
    }
    __syncthreads();
    int bad = 0;
    __pipeline_memcpy_async(&tile[0][thread * 4], &input[thread * 4], 16);
    __pipeline_commit();
    for (int step = 0; step < 4; step++) {
        if (step + 1 < 4) {
            __pipeline_memcpy_async(&tile[(step + 1) % 2][thread * 4],
                                    &input[(step + 1) * 256 + thread * 4], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        bad += tile[step % 2][255 - thread] != step * 256 + 255 - thread;
        __syncthreads();
    }
    __pipeline_memcpy_async(&filled[thread * 4], &input[thread * 4], 8);
    __pipeline_memcpy_async(&filled[thread * 4 + 2], &input[thread * 4 + 2], 4);
    __pipeline_memcpy_async(&filled[thread * 4 + 3], &input[thread * 4 + 3], 4, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    bad += filled[thread * 4 + 1] != thread * 4 + 1 || filled[thread * 4 + 2] != thread * 4 + 2;
    bad += filled[thread * 4 + 3] != 0;
    wrong[thread] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    stages<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("__pipeline_memcpy_async: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
