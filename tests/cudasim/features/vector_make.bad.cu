// expect: compile make_float4
#include <cuda_runtime.h>

__global__ void kernel(float* out, const float* data) {
  const float4 four = make_float4(data[0], data[1], data[2]);
  out[threadIdx.x] = four.x;
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
