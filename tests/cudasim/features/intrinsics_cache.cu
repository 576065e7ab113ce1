// feature: Loads and stores that name a cache move the value as plain ones do
// area: memory
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  __shared__ int unused;
  unused = 0;
  __stcg(&wrong[0], 0u);
  CHECK(0, __ldcg(&wrong[0]) == 0 && __ldcs(wrong) == 0 && __ldcv(wrong) == 0 && unused == 0);
  __stwt(wrong, 0u);
  __stcs(wrong, 0u);
  CHECK(1, __ldca(wrong) == 0);
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
