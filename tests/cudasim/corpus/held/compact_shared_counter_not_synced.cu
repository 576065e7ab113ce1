// expect: race
// may: uninitialized out-of-bounds
// Stream compaction with a counter per block: no barrier between the last local atomicAdd and the global one.
#include <cstdio>
#include <vector>

__global__ void filter_shared(const float* src, float* dst, unsigned* total, int n) {
    __shared__ unsigned l_n, base;
    if (threadIdx.x == 0) l_n = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = i < n ? src[i] : 0.0f;
    const bool keep = v > 0.0f;
    unsigned pos = 0;
    if (keep) pos = atomicAdd(&l_n, 1u);  // <- race
    if (threadIdx.x == 0) base = atomicAdd(total, l_n);  // <- race
    __syncthreads();
    if (keep) dst[base + pos] = v;  // <- race
}

int main() {
    const int n = 500;
    std::vector<float> src(n), dst(n);
    for (int i = 0; i < n; ++i) src[i] = i % 3 - 1.0f;
    float *d_src, *d_dst;
    unsigned *d_total, total;
    cudaMalloc(&d_src, n * sizeof(float));
    cudaMalloc(&d_dst, n * sizeof(float));
    cudaMalloc(&d_total, sizeof(unsigned));
    cudaMemcpy(d_src, src.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(unsigned));
    filter_shared<<<4, 128>>>(d_src, d_dst, d_total, n);
    cudaMemcpy(&total, d_total, sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u kept\n", total);
    cudaFree(d_src);
    cudaFree(d_dst);
    cudaFree(d_total);
}
