// feature: Built-in vector types have the size of their elements and the alignment of the table
// area: language
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  CHECK(0, sizeof(float3) == 12 && alignof(float3) == 4);
  CHECK(1, sizeof(float4) == 16 && alignof(float4) == 16);
  CHECK(2, sizeof(char2) == 2 && alignof(char2) == 2 && alignof(uchar4) == 4);
  CHECK(3, alignof(short2) == 4 && alignof(ushort4) == 8 && alignof(int2) == 8);
  CHECK(4, alignof(double2) == 16 && sizeof(double3) == 24 && alignof(double3) == 8);
  CHECK(5, alignof(longlong2) == 16 && alignof(ulong1) == 8 && sizeof(dim3) == 12);
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
