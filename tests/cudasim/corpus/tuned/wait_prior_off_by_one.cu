// expect: race
// Two groups are committed, all but the newest two are waited for, that is none: no barrier helps.
#include <cuda_pipeline.h>

__global__ void reverse(const float* in, float* out) {
    __shared__ float tile[2][64];
    int t = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][t], in + s * 64 + t, sizeof(float));  // <- race
        __pipeline_commit();
    }
    __pipeline_wait_prior(2);  // 1 would be right
    __syncthreads();
    out[t] = tile[0][63 - t];  // <- race
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 128 * sizeof(float));
    cudaMalloc(&b, 64 * sizeof(float));
    cudaMemset(a, 0, 128 * sizeof(float));
    reverse<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
