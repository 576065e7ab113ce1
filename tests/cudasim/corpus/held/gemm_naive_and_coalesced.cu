// expect: nothing
// The first two rungs of the matrix-multiplication ladder, alpha * A B + beta * C, timed by events.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}

template <const uint BLOCKSIZE>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
    const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
    if (cRow < M && cCol < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) tmp += A[cRow * K + i] * B[i * N + cCol];
        C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
    }
}

int main() {
    const int M = 45, N = 51, K = 37;
    const float alpha = 0.5f, beta = 3.0f;
    std::default_random_engine eng(1);
    std::uniform_real_distribution<float> uni(-1, 1);
    std::vector<float> A(M * K), B(K * N), C(M * N), got(M * N);
    for (auto *v : {&A, &B, &C})
        for (float &x : *v) x = uni(eng);
    float *dA, *dB, *dC, ms = 0;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dB, B.size() * 4);
    cudaMalloc(&dC, C.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    cudaEvent_t beg, end;
    cudaEventCreate(&beg);
    cudaEventCreate(&end);
    int bad = 0;
    for (int kernel = 0; kernel < 2; kernel++) {
        cudaMemcpy(dC, C.data(), C.size() * 4, cudaMemcpyHostToDevice);
        cudaEventRecord(beg);
        if (kernel == 0)
            sgemm_naive<<<dim3(CEIL_DIV(M, 16), CEIL_DIV(N, 16)), dim3(16, 16)>>>(M, N, K, alpha, dA, dB, beta, dC);
        else
            sgemm_coalesced<16><<<dim3(CEIL_DIV(M, 16), CEIL_DIV(N, 16)), 256>>>(M, N, K, alpha, dA, dB, beta, dC);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, beg, end);
        printf("kernel %d: %f ms\n", kernel, ms);
        cudaMemcpy(got.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double s = 0;
                for (int k = 0; k < K; k++) s += double(A[i * K + k]) * B[k * N + j];
                if (!(std::fabs(alpha * s + beta * C[i * N + j] - got[i * N + j]) < 1e-4)) bad++;
            }
    }
    cudaEventDestroy(beg);
    cudaEventDestroy(end);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    if (bad) printf("%d wrong\n", bad);
    return bad != 0;
}
