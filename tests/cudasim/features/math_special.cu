// feature: Functions of CUDA that the C library lacks: rsqrt, norms, erfinv, normcdf, exp10
// area: math
#include <cstdio>

#define CHECK(number, condition) \
  if (!(condition)) *wrong |= 1u << (number)

__global__ void check(unsigned* wrong, float two, float tiny) {
  CHECK(0, fabsf(rsqrtf(two) - 0.70710678f) < 1e-6f && fabs(rsqrt(4.0) - 0.5) < 1e-15);
  CHECK(1, fabsf(norm3df(2, 3, 6) - 7) < 1e-5f && fabs(norm4d(1, 1, 1, 1) - two) < 1e-14);
  CHECK(2, fabsf(rhypotf(3, 4) - 0.2f) < 1e-6f && fabsf(rcbrtf(8) - 0.5f) < 1e-6f);
  CHECK(3, fabs(erf(erfinv(0.25)) - 0.25) < 1e-14 && fabsf(erfcxf(0.0f) - 1) < 1e-6f);
  CHECK(4, fabsf(normcdff(0.0f) - 0.5f) < 1e-6f && fabs(normcdfinv(normcdf(1.5)) - 1.5) < 1e-12);
  CHECK(5, fabsf(exp10f(two) - 100) < 1e-3f && fabs(exp2(0.5 * two) - 2) < 1e-14);
  CHECK(6, fabsf(tgammaf(5.0f) - 24) < 1e-3f && fabsf(lgammaf(two)) < 1e-6f);
  CHECK(7, fabs(cyl_bessel_i0(1.0) - 1.2660658777520082) < 1e-13);
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
