// expect: misaligned
#include <cuda_runtime.h>

__global__ void kernel(float* out, const float* data) {
  const char* bytes = reinterpret_cast<const char*>(data);
  const unsigned word = *reinterpret_cast<const unsigned*>(bytes + 1);
  out[threadIdx.x] = __vadd4(word, 0x01010101u);
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
