// expect: invalid-mask
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void kernel(float* out, const float* data) {
  const half mine = __float2half(data[threadIdx.x]);
  out[threadIdx.x] = __half2float(__shfl_down_sync(0x0000ffffu, mine, 1));
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
