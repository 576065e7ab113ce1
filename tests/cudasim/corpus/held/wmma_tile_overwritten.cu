// expect: race
// Two warps multiply from one staged tile of A; the next k-step overwrites it while the other warp may still load.
#include <mma.h>
#include <cstdio>
#include <vector>
using namespace nvcuda::wmma;

__global__ void strip(const half* A, const half* B, float* C, int K, int N) {
    __shared__ __align__(32) half tile[16 * 16];
    int warp = threadIdx.x / 32;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    fill_fragment(c, 0.f);
    for (int k = 0; k < K; k += 16) {
        for (int i = threadIdx.x; i < 256; i += blockDim.x)
            tile[i] = A[(blockIdx.x * 16 + i / 16) * K + k + i % 16];  // <- race
        __syncthreads();
        load_matrix_sync(a, tile, 16);  // <- race
        load_matrix_sync(b, B + warp * 16 * K + k, K);
        mma_sync(c, a, b, c);
    }
    store_matrix_sync(C + blockIdx.x * 16 * N + warp * 16, c, N, mem_row_major);
}

int main() {
    const int M = 48, N = 32, K = 48;
    std::vector<half> A(M * K, half(0.5f)), B(N * K, half(2.f));
    std::vector<float> C(M * N);
    half *dA, *dB;
    float* dC;
    cudaMalloc(&dA, A.size() * sizeof(half));
    cudaMalloc(&dB, B.size() * sizeof(half));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(half), cudaMemcpyHostToDevice);
    strip<<<M / 16, 64>>>(dA, dB, dC, K, N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", C[0]);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
