// expect: uninitialized
// The first warp gathers 32 partial maxima though the block has only five warps.
#include <cstdio>
#include <cmath>
#include <vector>

#define FULL 0xffffffffu

__inline__ __device__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
    return v;
}

__inline__ __device__ float block_max(float v) {
    static __shared__ float part[32];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    v = warp_max(v);
    if (lane == 0) part[wid] = v;
    __syncthreads();
    v = part[lane];  // <- uninitialized
    return warp_max(v);
}

__global__ void row_max(const float* in, float* out, int cols) {
    float v = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) v = fmaxf(v, in[blockIdx.x * cols + c]);
    v = block_max(v);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = __expf(in[blockIdx.x * cols + c] - v);
}

int main() {
    const int rows = 6, cols = 333;
    std::vector<float> h(rows * cols);
    for (int i = 0; i < rows * cols; ++i) h[i] = (i * 37 % 101) * 0.07f;
    float *a, *b;
    cudaMalloc(&a, h.size() * sizeof(float));
    cudaMalloc(&b, h.size() * sizeof(float));
    cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_max<<<rows, 160>>>(a, b, cols);
    cudaDeviceSynchronize();
    cudaMemcpy(h.data(), b, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    printf("%f\n", h[0]);
}
