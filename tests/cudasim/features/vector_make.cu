// feature: Vector types are made by make_<type>, by braces, and dim3 by one to three sizes
// area: language
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  const float4 made = make_float4(1, two, 3, 4);
  const float4 braces = {1, 2, 3, 4};
  const float4 named = float4{.5f, 1, two};
  CHECK(0, made.x == braces.x && made.y == braces.y && made.w == 4);
  CHECK(1, named.x == 0.5f && named.z == 2 && named.w == 0);
  const dim3 grid(3, 2);
  const uint3 sizes = grid;
  CHECK(2, sizes.x == 3 && sizes.y == 2 && sizes.z == 1);
  const char4 bytes = make_char4(-1, 2, 3, 4);
  CHECK(3, bytes.x == -1 && bytes.w == 4);
  constexpr dim3 block = {32, 4};
  CHECK(4, block.x * block.y * block.z == 128);
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
