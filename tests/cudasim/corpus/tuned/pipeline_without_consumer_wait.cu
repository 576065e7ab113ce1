// expect: race
// cuda::pipeline of a thread: committed, never waited for.
#include <cuda/pipeline>

__global__ void reverse(const float* in, float* out) {
    __shared__ float tile[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float), pipe);  // <- race
    pipe.producer_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];  // <- race
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 64 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 64 * sizeof(float));
    reverse<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
