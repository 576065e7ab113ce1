// expect: uninitialized
#include <cuda_runtime.h>

__global__ void kernel(float* out, const float* data) {
  out[threadIdx.x] = norm3df(data[0], data[1], data[2]);
}

int main() {
  float *out, *data;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&data, 64 * sizeof(float));
  kernel<<<1, 32>>>(out, data);
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaFree(out);
  return 0;
}
