// feature: __nv_bfloat16: the exponents of float, eight digits, every result rounded once
// area: half
#include <cstdio>
#include <cuda_bf16.h>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const __nv_bfloat16 one = __float2bfloat16(1.0f), small = __float2bfloat16(two * 0x1p-9f);
  CHECK(0, __bfloat162float(one + small) == 1.0f && float(one + small + small) == 1.0f);
  CHECK(1, float(__hfma(one, one, __float2bfloat16(two * 0x1p-8f))) == 1.0078125f);
  CHECK(2, float(one * __float2bfloat16(3e38f)) > 2.9e38f && float(__hdiv(one, small)) == 256);
  CHECK(3, __hisinf(__float2bfloat16(3e38f) * __float2bfloat16(two)) == 1 && -one < one);
  const __nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, two);
  const float2 sum = __bfloat1622float2(pair + pair);
  CHECK(4, sum.x == 2 && sum.y == 4 && __hbeq2(pair, pair));
  CHECK(5, float(hexp2(__float2bfloat16(3.0f))) == 8 && float(__low2bfloat16(pair)) == 1);
}

int main() {
  unsigned* wrong;
  unsigned found = 1;
  cudaMallocManaged(&wrong, sizeof(unsigned));
  *wrong = 0;
  check<<<1, 1>>>(wrong, 2.0f, 0x1p-30f);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) found = *wrong;
  cudaFree(wrong);
  if (found != 0) std::printf("wrong checks %#x: %s\n", found, cudaGetErrorString(error));
  return found != 0;
}
