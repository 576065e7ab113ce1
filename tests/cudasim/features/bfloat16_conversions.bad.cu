// expect: race
#include <cuda_runtime.h>
#include <cuda_bf16.h>

__global__ void kernel(float* out, const float* data) {
  __shared__ __nv_bfloat16 tile[64];
  tile[threadIdx.x] = __float2bfloat16(data[threadIdx.x]);
  out[threadIdx.x] = __bfloat162float(tile[threadIdx.x ^ 1]);
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
