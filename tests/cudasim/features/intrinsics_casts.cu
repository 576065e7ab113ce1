// feature: Casts name their rounding, and what is out of range becomes the nearest number
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  CHECK(0, __float2int_rn(two + 0.5f) == 2 && __float2int_ru(two + 0.5f) == 3);
  CHECK(1, __float2int_rz(-two - 0.5f) == -2 && __float2int_rd(-two - 0.5f) == -3);
  CHECK(2, __float2int_rz(two * 1e20f) == 2147483647 && __float2uint_rz(-two) == 0);
  CHECK(3, __float2int_rn(nanf("")) == 0 && __double2ll_rn(1e300 * two) == 0x7fffffffffffffffll);
  CHECK(4, __int_as_float(__float_as_int(two)) == two && __float_as_uint(two) == 0x40000000u);
  CHECK(5, __hiloint2double(__double2hiint(two), __double2loint(two)) == two);
  CHECK(6, __int2float_rz(0x7fffffff) == 2147483520.0f && __uint2float_ru(~0u) == 4294967296.0f);
  CHECK(7, __double2float_rd(1 + 1e-9 * two) == 1 && __double2float_ru(1 + 1e-9 * two) > 1);
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
