// feature: Floats and integers become __nv_bfloat16 with the rounding that the name says
// area: half
#include <cstdio>
#include <cuda_bf16.h>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const float above = 1 + 0x1p-8f + tiny * 0x1p10f;
  CHECK(0, float(__float2bfloat16(1 + 0x1p-8f)) == 1 && float(__float2bfloat16(above)) > 1);
  CHECK(1, float(__float2bfloat16_rz(above)) == 1 && float(__float2bfloat16_ru(-above)) == -1);
  CHECK(2, __bfloat16_as_ushort(__float2bfloat16(two)) == 0x4000);
  CHECK(3, __bfloat162int_rz(__float2bfloat16(-two - 0.5f)) == -2);
  CHECK(4, float(__int2bfloat16_rn(257)) == 256 && float(__int2bfloat16_ru(257)) == 258);
  CHECK(5, float(__double2bfloat16(1.00390625000001)) == 1.0078125f);
  CHECK(6, float(__nv_bfloat16(3)) == 3);
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
