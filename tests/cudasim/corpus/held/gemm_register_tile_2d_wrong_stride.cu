// expect: uninitialized
// 2-D register tile: the rows of B's tile are loaded in steps of strideA, so all but the first two of them are never filled.
#include <cstdio>
#include <vector>

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm2DBlocktiling(int M, int N, int K, const float *A, const float *B, float *C) {
  const int totalResultsBlocktile = BM * BN;
  const int numThreadsBlocktile = totalResultsBlocktile / (TM * TN);
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int innerRowA = threadIdx.x / BK, innerColA = threadIdx.x % BK;
  const int strideA = numThreadsBlocktile / BK;
  const int innerRowB = threadIdx.x / BN, innerColB = threadIdx.x % BN;
  float threadResults[TM * TN] = {0.0f};
  float regM[TM] = {0.0f}, regN[TN] = {0.0f};
  for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (int off = 0; off < BM; off += strideA)
      As[(innerRowA + off) * BK + innerColA] = A[(innerRowA + off) * K + innerColA];
    for (int off = 0; off < BK; off += strideA)
      Bs[(innerRowB + off) * BN + innerColB] = B[(innerRowB + off) * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (int i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];  // <- uninitialized
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n)
      C[(threadRow * TM + m) * N + threadCol * TN + n] = threadResults[m * TN + n];
}

int main() {
  const int M = 96, N = 64, K = 40;
  std::vector<float> A(M * K, 1.f), B(K * N, 2.f), C(M * N);
  float *dA, *dB, *dC;
  cudaMalloc(&dA, M * K * sizeof(float));
  cudaMalloc(&dB, K * N * sizeof(float));
  cudaMalloc(&dC, M * N * sizeof(float));
  cudaMemcpy(dA, A.data(), M * K * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), K * N * sizeof(float), cudaMemcpyHostToDevice);
  // 64 threads: strideA is 8 rows, B's tile has 2 rows per step
  sgemm2DBlocktiling<32, 32, 8, 4, 4><<<dim3(N / 32, M / 32), 64>>>(M, N, K, dA, dB, dC);
  cudaMemcpy(C.data(), dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", C[0]);
  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  return 0;
}
