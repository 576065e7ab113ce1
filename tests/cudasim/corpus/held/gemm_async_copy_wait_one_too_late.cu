// expect: race
// may: uninitialized
// Double-buffered asynchronous copies: waits for all but two commits instead of all but one.
#include <cstdio>
#include <vector>
#include <cuda_pipeline.h>

__global__ void row_sums(const float* in, float* out, int rows, int cols) {
    __shared__ float buffer[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&buffer[0][t], &in[blockIdx.x * cols + t], sizeof(float));  // <- race
    __pipeline_commit();
    float sum = 0;
    int stage = 0;
    for (int c = 0; c < cols; c += 64, stage ^= 1) {
        if (c + 64 < cols)
            __pipeline_memcpy_async(&buffer[stage ^ 1][t], &in[blockIdx.x * cols + c + 64 + t], sizeof(float));  // <- race
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += buffer[stage][t] + buffer[stage][63 - t];  // <- race
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

int main() {
    const int rows = 3, cols = 256;
    std::vector<float> h(rows * cols, 1.0f), s(rows * 64);
    float *d_in, *d_out;
    cudaMalloc(&d_in, h.size() * sizeof(float));
    cudaMalloc(&d_out, s.size() * sizeof(float));
    cudaMemcpy(d_in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<rows, 64>>>(d_in, d_out, rows, cols);
    cudaMemcpy(s.data(), d_out, s.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", s[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
