// expect: nothing
// Product of matrices with two stages of cp.async (16 bytes each) by the primitives of cuda_pipeline.h.
#include <cuda_pipeline.h>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int T = 16;

__device__ void load_stage(float (*a)[T], float (*b)[T], const float* A, const float* B, int row0, int col0, int k0, int K, int N) {
    int r = threadIdx.x / (T / 4), c = threadIdx.x % (T / 4) * 4;
    __pipeline_memcpy_async(&a[r][c], A + (row0 + r) * K + k0 + c, sizeof(float4));
    __pipeline_memcpy_async(&b[r][c], B + (k0 + r) * N + col0 + c, sizeof(float4));
    __pipeline_commit();
}

__global__ void matmul(const float* A, const float* B, float* C, int K, int N) {
    __shared__ __align__(16) float a[2][T][T];
    __shared__ __align__(16) float b[2][T][T];
    int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    float acc[4] = {};
    int r = threadIdx.x / 4, c = threadIdx.x % 4 * 4;
    load_stage(a[0], b[0], A, B, row0, col0, 0, K, N);
    for (int k0 = 0, stage = 0; k0 < K; k0 += T, stage ^= 1) {
        if (k0 + T < K) {
            load_stage(a[stage ^ 1], b[stage ^ 1], A, B, row0, col0, k0 + T, K, N);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k) {
            float x = a[stage][r][k];
            float4 y = *reinterpret_cast<float4*>(&b[stage][k][c]);
            acc[0] += x * y.x, acc[1] += x * y.y, acc[2] += x * y.z, acc[3] += x * y.w;
        }
        __syncthreads();
    }
    *reinterpret_cast<float4*>(&C[(row0 + r) * N + col0 + c]) = make_float4(acc[0], acc[1], acc[2], acc[3]);
}

int main() {
    const int M = 3 * T, K = 5 * T, N = 2 * T;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = i % 7 - 3;
    for (int i = 0; i < K * N; ++i) B[i] = i % 11 - 5;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * 4), cudaMalloc(&dB, B.size() * 4), cudaMalloc(&dC, C.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    matmul<<<dim3(N / T, M / T), T * T / 4>>>(dA, dB, dC, K, N);
    cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(dA), cudaFree(dB), cudaFree(dC);
    int bad = 0;
    for (int r = 0; r < M; ++r)
        for (int c = 0; c < N; ++c) {
            float w = 0;
            for (int k = 0; k < K; ++k) w += A[r * K + k] * B[k * N + c];
            bad += w != C[r * N + c];
        }
    if (bad) printf("%d\n", bad);
    return bad != 0;
}
