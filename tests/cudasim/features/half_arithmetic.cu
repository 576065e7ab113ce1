// feature: __half: conversions that name their rounding, arithmetic rounded once, comparisons
// area: half
#include <cstdio>
#include <cuda_fp16.h>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const __half one = __float2half(1.0f), small = __float2half(two * 0x1p-12f);
  CHECK(0, __half2float(one + small) == 1.0f && one < one + (small + small));
  const float above = 1 + 0x1p-20f * two;
  CHECK(1, float(__float2half_ru(above)) > 1 && float(__float2half_rd(above)) == 1);
  CHECK(2, __hisinf(__float2half(65520.0f)) == 1 && __half2float(__float2half(65519.0f)) == 65504);
  CHECK(3, __half2float(__hfma(__float2half(3.0f), __float2half(0.5f), small)) == 1.5f);
  const __half nan = __float2half(nanf(""));
  CHECK(4, __hisnan(nan) && !__heq(nan, nan) && __hequ(nan, nan) && nan != nan);
  CHECK(5, __half2int_rn(__float2half(two + 0.5f)) == 2 && __half_as_ushort(one) == 0x3c00);
  CHECK(6, __half2float(hsqrt(__float2half(4.0f))) == 2 && __half2float(__habs(-one)) == 1);
  half counter = 2;
  counter += half(1.5f);
  counter++;
  CHECK(7, float(counter) == 4.5f && float(__hfma_relu(-one, one, small)) == 0);
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
