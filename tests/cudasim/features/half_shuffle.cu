// feature: __shfl_*_sync moves __half, __half2 and __nv_bfloat16 between lanes
// area: warp
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const half mine = __int2half_rn(threadIdx.x);
  half sum = mine;
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (float(sum) != 496) atomicOr(wrong, 1u);
  const half2 pair = __shfl_sync(0xffffffffu, __halves2half2(mine, sum), 5);
  if (__low2float(pair) != 5 || __high2float(pair) != 496) atomicOr(wrong, 2u);
  const __nv_bfloat16 below = __shfl_up_sync(0xffffffffu, __float2bfloat16(two * threadIdx.x), 1);
  if (threadIdx.x > 0 && float(below) != 2.0f * (threadIdx.x - 1)) atomicOr(wrong, 4u);
}

int main() {
  unsigned* wrong;
  unsigned found = 1;
  cudaMallocManaged(&wrong, sizeof(unsigned));
  *wrong = 0;
  check<<<1, 32>>>(wrong, 2.0f, 0x1p-30f);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) found = *wrong;
  cudaFree(wrong);
  if (found != 0) std::printf("wrong checks %#x: %s\n", found, cudaGetErrorString(error));
  return found != 0;
}
