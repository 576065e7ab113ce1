// feature: Fast functions are close to the exact ones and differ in special cases
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  CHECK(0, fabsf(__expf(two) - 7.3890561f) < 1e-4f && fabsf(__logf(two) - 0.69314718f) < 1e-5f);
  CHECK(1, fabsf(__sinf(two) - 0.90929743f) < 1e-5f && fabsf(__powf(two, 3) - 8) < 1e-4f);
  CHECK(2, isnan(__powf(-two, two)) && powf(-two, two) == 4);
  CHECK(3, __fdividef(6, two) == 3 && __fdividef(two, 0x1p127f) == 0);
  CHECK(4, __saturatef(two) == 1 && __saturatef(-two) == 0 && __saturatef(nanf("")) == 0);
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
