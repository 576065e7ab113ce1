// expect: misaligned
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void kernel(float* out, const float* data) {
  const half* halves = reinterpret_cast<const half*>(data);
  const half2 pair = *reinterpret_cast<const half2*>(halves + 1);
  out[threadIdx.x] = __low2float(pair);
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
