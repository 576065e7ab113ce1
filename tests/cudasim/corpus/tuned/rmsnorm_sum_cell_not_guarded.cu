// expect: race
// RMSNorm over half rows: after the scale is read, the shared sum is cleared for the next row without a barrier.
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>

template <typename T, int BLOCK>
__global__ void rmsnorm(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ w, int rows, int n, float eps) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.f;
    __syncthreads();
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x = in + row * n;
        float ss = 0.f;
        for (int i = threadIdx.x; i < n; i += BLOCK) {
            float v = static_cast<float>(x[i]);
            ss = fmaf(v, v, ss);
        }
        for (int o = 16; o; o >>= 1) ss += __shfl_down_sync(0xffffffff, ss, o);
        if (threadIdx.x % 32 == 0) atomicAdd(&total, ss);
        __syncthreads();
        const float s = rsqrtf(total / n + eps);  // <- race
        if (threadIdx.x == 0) total = 0.f;  // <- race
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += BLOCK)
            out[row * n + i] = static_cast<T>(static_cast<float>(x[i]) * s * static_cast<float>(w[i]));
    }
}

int main() {
    const int rows = 7, n = 150;
    std::vector<__half> x(rows * n), w(n);
    for (int i = 0; i < rows * n; ++i) x[i] = __float2half((i % 17) * 0.125f - 1.f);
    for (int i = 0; i < n; ++i) w[i] = __float2half(1.f + (i & 3));
    __half *dx, *dw, *dy;
    cudaMalloc(&dx, rows * n * sizeof(__half));
    cudaMalloc(&dy, rows * n * sizeof(__half));
    cudaMalloc(&dw, n * sizeof(__half));
    cudaMemcpy(dx, x.data(), rows * n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    rmsnorm<__half, 96><<<3, 96>>>(dy, dx, dw, rows, n, 1e-6f);
    cudaMemcpy(x.data(), dy, rows * n * sizeof(__half), cudaMemcpyDeviceToHost);
    printf("%f\n", __half2float(x[5]));
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dw);
}
