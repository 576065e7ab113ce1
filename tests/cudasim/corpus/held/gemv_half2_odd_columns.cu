// expect: misaligned
// Matrix times vector: rows of 75 halves are read in pairs, so odd rows begin in the middle of a word.
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>

__global__ void hgemv(const __half* A, const __half* x, __half* y, int m, int k) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= m) return;
    __half2 acc = __float2half2_rn(0.f);
    for (int i = threadIdx.x; i < k / 2; i += 32) {
        __half2 a = ((const __half2*)(A + row * k))[i];  // <- misaligned
        __half2 b = ((const __half2*)x)[i];
        acc = __hfma2(a, b, acc);
    }
    float s = __low2float(acc) + __high2float(acc);
    if (threadIdx.x == 0 && k % 2) s += __half2float(A[row * k + k - 1]) * __half2float(x[k - 1]);
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffff, s, d);
    if (threadIdx.x == 0) y[row] = __float2half(s);
}

int main() {
    const int m = 10, k = 75;
    std::vector<__half> A(m * k), x(k);
    for (auto& v : A) v = __float2half(0.5f);
    for (auto& v : x) v = __float2half(0.25f);
    __half *dA, *dx, *dy;
    cudaMalloc(&dA, m * k * sizeof(__half));
    cudaMalloc(&dx, k * sizeof(__half));
    cudaMalloc(&dy, m * sizeof(__half));
    cudaMemcpy(dA, A.data(), m * k * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), k * sizeof(__half), cudaMemcpyHostToDevice);
    hgemv<<<3, dim3(32, 4)>>>(dA, dx, dy, m, k);
    cudaMemcpy(x.data(), dy, m * sizeof(__half), cudaMemcpyDeviceToHost);
    printf("%f\n", __half2float(x[0]));
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
