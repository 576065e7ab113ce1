// expect: nothing
// 1-D register tile: each thread computes TM results of one column; edges are filled with zeros.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

template <const int BM, const int BN, const int BK, const int TM>
__global__ void __launch_bounds__((BM * BN) / TM, 1)
    sgemm1DBlocktiling(int M, int N, int K, const float *A, const float *B, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  assert(BM * BK == blockDim.x);
  assert(BN * BK == blockDim.x);
  const uint innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;

  float threadResults[TM] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    const uint aRow = cRow * BM + innerRowA, aCol = bkIdx + innerColA;
    const uint bRow = bkIdx + innerRowB, bCol = cCol * BN + innerColB;
    As[innerRowA * BK + innerColA] = aRow < M && aCol < K ? A[aRow * K + aCol] : 0.0f;
    Bs[innerRowB * BN + innerColB] = bRow < K && bCol < N ? B[bRow * N + bCol] : 0.0f;
    __syncthreads();
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }
  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    const uint r = cRow * BM + threadRow * TM + resIdx, c = cCol * BN + threadCol;
    if (r < M && c < N) C[r * N + c] = threadResults[resIdx];
  }
}

int main() {
  const int M = 50, N = 67, K = 29;
  std::vector<float> A(M * K), B(K * N), C(M * N);
  for (int i = 0; i < M * K; i++) A[i] = (i % 7) - 3;
  for (int i = 0; i < K * N; i++) B[i] = (i % 5) - 2;
  float *dA, *dB, *dC;
  cudaMalloc(&dA, sizeof(float) * M * K);
  cudaMalloc(&dB, sizeof(float) * K * N);
  cudaMalloc(&dC, sizeof(float) * M * N);
  cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
  constexpr uint BM = 32, BN = 32, BK = 4, TM = 8;
  dim3 gridDim((N + BN - 1) / BN, (M + BM - 1) / BM);
  sgemm1DBlocktiling<BM, BN, BK, TM><<<gridDim, (BM * BN) / TM>>>(M, N, K, dA, dB, dC);
  cudaMemcpy(C.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float want = 0;
      for (int k = 0; k < K; k++) want += A[i * K + k] * B[k * N + j];
      if (C[i * N + j] != want) {
        printf("C[%d][%d] = %f, not %f\n", i, j, C[i * N + j], want);
        return 1;
      }
    }
  return 0;
}
