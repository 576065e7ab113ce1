// expect: race
// Decoupled blocks: each block publishes its partial result and bumps a counter, but no fence stands between the two.
#include <cstdio>
#include <vector>

__device__ int ready_blocks;

__global__ void column_sums(const float* m, int rows, int cols, float* partial, float* out) {
    const int c = threadIdx.x;
    float s = 0.f;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) s += c < cols ? m[r * cols + c] : 0.f;
    if (c < cols) partial[blockIdx.x * cols + c] = s;  // <- race
    __syncthreads();
    __shared__ int ticket;
    if (c == 0) ticket = atomicAdd(&ready_blocks, 1);
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    if (c < cols) {
        float t = 0.f;
        for (int b = 0; b < gridDim.x; ++b) t += partial[b * cols + c];  // <- race
        out[c] = t;
    }
    if (c == 0) ready_blocks = 0;
}

int main() {
    const int rows = 41, cols = 50, blocks = 4;
    std::vector<float> h(rows * cols, 0.5f);
    float *m, *p, *o;
    cudaMalloc(&m, h.size() * sizeof(float));
    cudaMalloc(&p, blocks * cols * sizeof(float));
    cudaMalloc(&o, cols * sizeof(float));
    cudaMemcpy(m, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    column_sums<<<blocks, 64>>>(m, rows, cols, p, o);
    cudaMemcpy(h.data(), o, cols * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(m);
    cudaFree(p);
    cudaFree(o);
    return 0;
}
