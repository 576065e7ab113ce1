// feature: A word as four bytes or two halves: sums, extremes, masks, dot products
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const unsigned ones = 0x00800080u * unsigned(two);
  CHECK(0, __vadd4(0xff01ff01u, 0x01010101u) == 0x00020002u && ones == 0x01000100u);
  CHECK(1, __vaddus4(0xff01ff01u, 0x01010101u) == 0xff02ff02u);
  CHECK(2, __vmaxs2(0xffff0001u, 0u) == 0x00000001u && __vmaxu2(0xffff0001u, 0u) == 0xffff0001u);
  CHECK(3, __vcmpgtu4(0x01020304u, 0x02020202u) == 0x0000ffffu);
  CHECK(4, __dp4a(0x01020304, 0x01010101, 5) == 15 && __dp2a_lo(0x00020003, 0x0101, 1) == 6);
  CHECK(5, __vabsdiffu4(0x01050000u, 0x05010000u) == 0x04040000u && __vsadu4(1u, 4u) == 3u);
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
