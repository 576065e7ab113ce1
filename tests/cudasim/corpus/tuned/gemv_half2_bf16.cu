// expect: nothing
// Matrix times vector in half2 and in bfloat162 by one template over traits; a block per row, partial sums through shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <vector>

template <typename T>
struct Packed;
template <>
struct Packed<__half> {
    using type = __half2;
    static __device__ float2 unpack(type v) { return __half22float2(v); }
    static __host__ __half make(float f) { return __float2half(f); }
    static __host__ float value(__half h) { return __half2float(h); }
};
template <>
struct Packed<__nv_bfloat16> {
    using type = __nv_bfloat162;
    static __device__ float2 unpack(type v) { return __bfloat1622float2(v); }
    static __host__ __nv_bfloat16 make(float f) { return __float2bfloat16(f); }
    static __host__ float value(__nv_bfloat16 h) { return __bfloat162float(h); }
};

template <typename T, int THREADS>
__global__ void gemv(const T* __restrict__ A, const T* __restrict__ x, float* __restrict__ y, int cols, float alpha) {
    using P = typename Packed<T>::type;
    const P* row = reinterpret_cast<const P*>(A + static_cast<size_t>(blockIdx.x) * cols);
    const P* vec = reinterpret_cast<const P*>(x);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols / 2; i += THREADS) {
        float2 a = Packed<T>::unpack(row[i]), b = Packed<T>::unpack(vec[i]);
        sum = fmaf(a.x, b.x, fmaf(a.y, b.y, sum));
    }
    __shared__ float partial[THREADS];
    partial[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (int s = THREADS / 2; s >= 32; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        float v = partial[threadIdx.x];
        for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
        if (threadIdx.x == 0) y[blockIdx.x] = alpha * v;
    }
}

template <typename T>
int test(int rows, int cols) {
    std::vector<T> A(rows * cols), x(cols);
    std::vector<float> y(rows);
    for (int i = 0; i < rows * cols; ++i) A[i] = Packed<T>::make((i % 23 - 11) / 8.f);
    for (int i = 0; i < cols; ++i) x[i] = Packed<T>::make((i % 7 - 3) / 4.f);
    T *dA, *dx;
    float* dy;
    cudaMalloc(&dA, A.size() * sizeof(T));
    cudaMalloc(&dx, x.size() * sizeof(T));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    gemv<T, 64><<<rows, 64>>>(dA, dx, dy, cols, 0.5f);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    int bad = 0;
    for (int r = 0; r < rows; ++r) {
        double want = 0;
        for (int c = 0; c < cols; ++c) want += 0.5 * Packed<T>::value(A[r * cols + c]) * Packed<T>::value(x[c]);
        bad += std::fabs(want - y[r]) > 1e-3;
    }
    return bad;
}

int main() {
    int bad = test<__half>(13, 190) + test<__nv_bfloat16>(9, 74);
    if (bad) printf("%d rows\n", bad);
    return bad != 0;
}
