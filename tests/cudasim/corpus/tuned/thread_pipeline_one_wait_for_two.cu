// expect: race
// Two stages of a thread's pipeline are committed and one of them is waited for; both are read.
#include <cuda/pipeline>

__global__ void kernel(const float* in, float* out) {
    __shared__ float tile[2][64];
    const int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < 2; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[i][t], in + i * 64 + t, sizeof(float), pipe);  // <- race
        pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    out[t] = tile[0][63 - t] + tile[1][63 - t];  // <- race
    pipe.consumer_release();
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
