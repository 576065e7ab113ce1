// feature: min, max, fmin and fmax: mixed integers, and a NaN gives way to the other operand
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const float nan = nanf("");
  CHECK(0, max(-1, 2) == 2 && min(-1, 2) == -1);
  CHECK(1, max(-1, 2u) == 0xffffffffu && min(3ll, 4ull) == 3);
  CHECK(2, fmaxf(nan, two) == two && fminf(two, nan) == two && fmax(double(nan), 3.0) == 3.0);
  CHECK(3, isnan(fmaxf(nan, nan)) && max(two, nan) == two);
  CHECK(4, max(two, 3.0) == 3.0 && min(1.0, two) == 1.0);
  CHECK(5, abs(-3) == 3 && abs(-two) == two && fabs(-2.5) == 2.5 && llabs(-4ll) == 4);
  CHECK(6, isinf(two * 3e38f) && isfinite(two) && signbit(-two) && !signbit(two));
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
