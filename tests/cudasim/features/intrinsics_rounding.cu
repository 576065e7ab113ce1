// feature: __fadd_rz, __fmul_ru, __fmaf_rd and their kin round the exact result as they say
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  CHECK(0, __fadd_rn(1, tiny) == 1 && __fadd_rd(1, tiny) == 1 && __fadd_rz(1, tiny) == 1);
  CHECK(1, __fadd_ru(1, tiny) == 1.00000012f && __fadd_rz(1, -tiny) < 1);
  CHECK(2, __fmul_ru(1 / two, 0x1p-149f) == 0x1p-149f && __fmul_rd(1 / two, 0x1p-149f) == 0);
  CHECK(3, __fdiv_ru(1, 3) > __fdiv_rd(1, 3) && __frcp_rn(two) == 0.5f);
  CHECK(4, __fsqrt_ru(two) > __fsqrt_rd(two) && __frsqrt_rn(4) == 0.5f);
  CHECK(5, __fmaf_ru(two, two, tiny) > 4 && __fmaf_rd(two, two, tiny) == 4);
  CHECK(6, __dadd_ru(1.0, 1e-30 * two) > 1 && __dmul_rz(1.0, 0.1) == 0.1);
  CHECK(7, __fma_rd(two, two, -1e-30) < 4 && __dsqrt_rn(4.0) == 2 && __drcp_rn(two) == 0.5);
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
