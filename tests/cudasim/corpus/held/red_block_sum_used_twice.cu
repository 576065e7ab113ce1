// expect: race
// may: uninitialized
// Mean and variance from one block-sum helper: its scratch is used again with no barrier in between.
#include <cstdio>
#include <vector>

constexpr int THREADS = 96;

__device__ float block_sum(float x, float* scratch) {
    for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(~0u, x, o);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;  // <- race
    __syncthreads();
    float total = 0;
    for (int w = 0; w < THREADS / 32; ++w) total += scratch[w];  // <- race
    return total;
}

__global__ void moments(const float* rows, float2* out, int cols) {
    __shared__ float scratch[THREADS / 32];
    const float* row = rows + blockIdx.x * cols;
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) s += row[c];
    const float mean = block_sum(s, scratch) / cols;
    float q = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) q += (row[c] - mean) * (row[c] - mean);
    const float var = block_sum(q, scratch) / cols;
    if (threadIdx.x == 0) out[blockIdx.x] = make_float2(mean, var);
}

int main() {
    const int rows = 5, cols = 250;
    std::vector<float> h(rows * cols);
    for (size_t i = 0; i < h.size(); ++i) h[i] = float(i % 17);
    float* d_rows;
    float2 *d_out, out[rows];
    cudaMalloc(&d_rows, h.size() * sizeof(float));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_rows, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    moments<<<rows, THREADS>>>(d_rows, d_out, cols);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%f %f\n", out[0].x, out[0].y);
    cudaFree(d_rows);
    cudaFree(d_out);
}
