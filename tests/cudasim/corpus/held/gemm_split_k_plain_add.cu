// expect: race
// Split-K: the slices of K are added up in C, with += instead of atomicAdd.
#include <cstdio>
#include <vector>

__global__ void splitk(const float* A, const float* B, float* C, int M, int N, int K, int slice) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    const int k_begin = blockIdx.z * slice, k_end = min(k_begin + slice, K);
    if (row < M && col < N) {
        float part = 0;
        for (int k = k_begin; k < k_end; ++k) part += A[row * K + k] * B[k * N + col];
        C[row * N + col] += part;  // <- race
    }
}

int main() {
    const int M = 6, N = 70, K = 100, splits = 3;
    std::vector<float> a(M * K, 1.0f), b(K * N, 0.5f), c(M * N);
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, c.size() * sizeof(float));
    splitk<<<dim3((N + 31) / 32, M, splits), 32>>>(da, db, dc, M, N, K, (K + splits - 1) / splits);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", c[0]);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
