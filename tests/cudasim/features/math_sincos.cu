// feature: sincos gives both at once; sinpi and cospi are exact at half turns
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  float sine, cosine;
  double s, c;
  sincosf(0.5f * two, &sine, &cosine);
  CHECK(0, fabsf(sine - 0.84147098f) < 1e-6f && fabsf(cosine - 0.54030231f) < 1e-6f);
  sincospi(0.5 * two, &s, &c);
  CHECK(1, s == 0 && c == -1);
  CHECK(2, sinpif(two) == 0 && cospif(0.25f * two) == 0 && sinpi(0.5) == 1);
  CHECK(3, sin(two) == sinf(two) && sizeof(cos(two)) == sizeof(float));
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
