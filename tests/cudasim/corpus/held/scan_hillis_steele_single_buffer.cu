// expect: race
// Kogge-Stone scan in place: there is a barrier before each step, but none between its read and its write.
#include <stdio.h>
#include <stdlib.h>

#define SECTION_SIZE 160

__global__ void Kogge_Stone_scan_kernel(float *X, float *Y, unsigned int N) {
  __shared__ float XY[SECTION_SIZE];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    XY[threadIdx.x] = X[i];
  } else {
    XY[threadIdx.x] = 0.0f;
  }
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    if (threadIdx.x >= stride)
      XY[threadIdx.x] += XY[threadIdx.x - stride];  // <- race
  }
  if (i < N) {
    Y[i] = XY[threadIdx.x];
  }
}

int main() {
  unsigned int N = 450;
  float *X_h = (float *)malloc(N * sizeof(float)), *Y_h = (float *)malloc(N * sizeof(float));
  for (unsigned int i = 0; i < N; i++) X_h[i] = (float)(i % 4);
  float *X_d, *Y_d;
  cudaMalloc((void **)&X_d, N * sizeof(float));
  cudaMalloc((void **)&Y_d, N * sizeof(float));
  cudaMemcpy(X_d, X_h, N * sizeof(float), cudaMemcpyHostToDevice);
  dim3 dimBlock(SECTION_SIZE, 1, 1), dimGrid((N + SECTION_SIZE - 1) / SECTION_SIZE, 1, 1);
  Kogge_Stone_scan_kernel<<<dimGrid, dimBlock>>>(X_d, Y_d, N);
  cudaMemcpy(Y_h, Y_d, N * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", Y_h[100]);
  cudaFree(X_d);
  cudaFree(Y_d);
  free(X_h);
  free(Y_h);
  return 0;
}
