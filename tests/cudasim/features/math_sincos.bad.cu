// expect: out-of-bounds
#include <cuda_runtime.h>

__global__ void kernel(float* out, const float* data) {
  float sine, cosine;
  sincosf(data[threadIdx.x], &sine, &cosine);
  out[2 * threadIdx.x] = sine;
  out[2 * threadIdx.x + 2] = cosine;
}

int main() {
  float *out, *data;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&data, 64 * sizeof(float));
  cudaMemset(data, 0, 64 * sizeof(float));
  kernel<<<1, 32>>>(out, data);
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaFree(out);
  return 0;
}
