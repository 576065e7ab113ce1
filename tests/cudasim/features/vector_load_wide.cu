// feature: A load of a float4 reads sixteen bytes, a store writes them
// area: memory
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  __shared__ float4 tile[8];
  float4* mine = &tile[threadIdx.x];
  *mine = make_float4(threadIdx.x, two, 3, 4);
  __syncthreads();
  const float4 other = tile[threadIdx.x ^ 1];
  if (other.x != (threadIdx.x ^ 1) || other.y != 2 || other.w != 4) atomicOr(wrong, 1u);
  const float* flat = reinterpret_cast<const float*>(tile);
  if (flat[4 * threadIdx.x + 2] != 3) atomicOr(wrong, 2u);
}

int main() {
  unsigned* wrong;
  unsigned found = 1;
  cudaMallocManaged(&wrong, sizeof(unsigned));
  *wrong = 0;
  check<<<1, 8>>>(wrong, 2.0f, 0x1p-30f);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) found = *wrong;
  cudaFree(wrong);
  if (found != 0) std::printf("wrong checks %#x: %s\n", found, cudaGetErrorString(error));
  return found != 0;
}
