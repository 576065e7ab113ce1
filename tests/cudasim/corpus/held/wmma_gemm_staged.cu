// expect: nothing
// C = alpha A B + beta C by wmma: four warps, tiles staged in padded shared memory, edges filled with zeros, result through shared memory.
#include <mma.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace nvcuda;

constexpr int BM = 32, BN = 32, BK = 16, PAD = 8;

__global__ void __launch_bounds__(128) gemm(const half* A, const half* B, float* C, int M, int N, int K, float alpha, float beta) {
    __shared__ __align__(32) half As[BM][BK + PAD];
    __shared__ __align__(32) half Bs[BK][BN + PAD];
    __shared__ __align__(32) float Cs[BM][BN];
    const int warp = threadIdx.x / 32, wm = warp / 2 * 16, wn = warp % 2 * 16;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += blockDim.x) {
            int r = i / BK, c = i % BK;
            As[r][c] = m0 + r < M && k0 + c < K ? A[(m0 + r) * K + k0 + c] : __float2half(0.f);
        }
        for (int i = threadIdx.x; i < BK * BN; i += blockDim.x) {
            int r = i / BN, c = i % BN;
            Bs[r][c] = k0 + r < K && n0 + c < N ? B[(k0 + r) * N + n0 + c] : __float2half(0.f);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &As[wm][0], BK + PAD);
        wmma::load_matrix_sync(b, &Bs[0][wn], BN + PAD);
        wmma::mma_sync(acc, a, b, acc);
        __syncthreads();
    }
    for (int i = 0; i < acc.num_elements; ++i) acc.x[i] *= alpha;
    wmma::store_matrix_sync(&Cs[wm][wn], acc, BN, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < BM * BN; i += blockDim.x) {
        int r = m0 + i / BN, c = n0 + i % BN;
        if (r < M && c < N) C[r * N + c] = Cs[i / BN][i % BN] + beta * C[r * N + c];
    }
}

int main() {
    const int M = 50, N = 41, K = 39;
    std::vector<half> A(M * K), B(K * N);
    std::vector<float> C(M * N), R(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = __float2half((i % 13 - 6) * 0.25f);
    for (int i = 0; i < K * N; ++i) B[i] = __float2half((i % 9 - 4) * 0.5f);
    for (int i = 0; i < M * N; ++i) C[i] = i % 5;
    half *dA, *dB;
    float* dC;
    cudaMalloc(&dA, A.size() * sizeof(half));
    cudaMalloc(&dB, B.size() * sizeof(half));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice);
    gemm<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM), 128>>>(dA, dB, dC, M, N, K, 2.f, 0.5f);
    cudaMemcpy(R.data(), dC, R.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA), cudaFree(dB), cudaFree(dC);
    for (int r = 0; r < M; ++r)
        for (int c = 0; c < N; ++c) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += (double)__half2float(A[r * K + k]) * __half2float(B[k * N + c]);
            s = 2 * s + 0.5 * C[r * N + c];
            if (std::fabs(s - R[r * N + c]) > 1e-2) {
                printf("C[%d][%d] is %f, not %f\n", r, c, R[r * N + c], s);
                return 1;
            }
        }
    return 0;
}
