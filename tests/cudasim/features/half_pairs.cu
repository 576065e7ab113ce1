// feature: __half2: one operation on both halves, taking apart and putting together
// area: half
#include <cstdio>
#include <cuda_fp16.h>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const half2 a = __floats2half2_rn(1.0f, two), b = __float2half2_rn(3.0f);
  const float2 sum = __half22float2(__hadd2(a, b));
  CHECK(0, sum.x == 4 && sum.y == 5);
  const float2 fused = __half22float2(__hfma2(a, b, a));
  CHECK(1, fused.x == 4 && fused.y == 8);
  CHECK(2, __low2float(__lowhigh2highlow(a)) == 2 && __high2float(__low2half2(a)) == 1);
  CHECK(3, __hble2(a, b) && !__hbeq2(a, b) && __hlt2_mask(a, b) == 0xffffffffu);
  CHECK(4, float(__high2half(a * b)) == 6 && float((a / a).x) == 1 && sizeof(half2) == 4);
  CHECK(5, float(__hmax2(a, b).x) == 3 && float(h2exp2(a).y) == 4);
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
