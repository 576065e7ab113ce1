// feature: Asynchronous copies: cuda::pipeline of one thread
// area: memory
#include <cstdio>

#include <cuda/pipeline>

__device__ int input[512];

__global__ void stages(int* wrong) {
    __shared__ int tile[2][64];
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < 512; i += 64) {
        input[i] = 3 * i;
    }
    __syncthreads();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int bad = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][thread], &input[thread], sizeof(int), pipe);
    pipe.producer_commit();
    for (int step = 0; step < 8; step++) {
        pipe.producer_acquire();
        if (step + 1 < 8) {
            cuda::memcpy_async(&tile[(step + 1) % 2][thread], &input[(step + 1) * 64 + thread],
                               cuda::aligned_size_t<4>(sizeof(int)), pipe);
        }
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        bad += tile[step % 2][63 - thread] != 3 * (step * 64 + 63 - thread);
        __syncthreads();
        pipe.consumer_release();
    }
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
    if (sum) std::printf("cuda::pipeline of a thread: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
