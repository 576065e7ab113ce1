// feature: Counting, finding, reversing and permuting bits, and the upper half of products
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const unsigned word = 0xf0u * unsigned(two);
  CHECK(0, __popc(word) == 4 && __clz(word) == 23 && __ffs(word) == 6 && __brev(1u) == 1u << 31);
  CHECK(1, __clz(0) == 32 && __ffs(0) == 0 && __clzll(1ll) == 63 && __popcll(~0ull) == 64);
  CHECK(2, __byte_perm(0x33221100u, 0x77665544u, 0x7531) == 0x77553311u);
  CHECK(3, __funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_rc(1u, 2u, 40) == 2u);
  CHECK(4, __umulhi(~0u, 2u) == 1u && __mulhi(-1, 2) == -1 && __umul64hi(~0ull, 2ull) == 1ull);
  CHECK(5, __mul24(-3, 5) == -15 && __sad(3, -4, 1u) == 8u && __rhadd(3, 4) == 4);
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
