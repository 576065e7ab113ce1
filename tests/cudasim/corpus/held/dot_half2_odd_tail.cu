// expect: out-of-bounds
// Dot product of halves taken two at a time: with an odd length the last pair is only half there.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>

__global__ void dot(const __half* a, const __half* b, float* out, int n) {
    const __half2* a2 = reinterpret_cast<const __half2*>(a);
    const __half2* b2 = reinterpret_cast<const __half2*>(b);
    float acc = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n + 1) / 2; i += gridDim.x * blockDim.x) {
        const float2 p = __half22float2(__hmul2(a2[i], b2[i]));  // <- out-of-bounds
        acc += p.x + p.y;
    }
    for (int m = 16; m; m /= 2) acc += __shfl_xor_sync(0xffffffffu, acc, m);
    if (threadIdx.x % 32 == 0) atomicAdd(out, acc);
}

int main() {
    const int n = 333;
    std::vector<__half> h(n, __float2half(0.5f));
    __half *a, *b;
    float *d_out, out = 0;
    cudaMalloc(&a, n * sizeof(__half));
    cudaMalloc(&b, n * sizeof(__half));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, &out, sizeof(float), cudaMemcpyHostToDevice);
    dot<<<2, 64>>>(a, b, d_out, n);
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", out);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d_out);
    return 0;
}
