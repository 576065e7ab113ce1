// expect: out-of-bounds
#include <cuda_runtime.h>

__global__ void kernel(float* out, const float* data) {
  const float4 four = reinterpret_cast<const float4*>(data)[threadIdx.x];
  out[threadIdx.x] = four.x + four.w;
}

int main() {
  float *out, *data;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&data, 126 * sizeof(float));
  cudaMemset(data, 0, 126 * sizeof(float));
  kernel<<<1, 32>>>(out, data);
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaFree(out);
  return 0;
}
