// expect: compile ambiguous
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void kernel(float* out, const float* data) {
  const __half one = __float2half(data[0]);
  out[threadIdx.x] = one + 1.0f;
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
