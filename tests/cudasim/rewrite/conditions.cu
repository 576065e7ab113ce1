#if defined(NEVER)
__global__ void k(int* x, int) {
#else
__global__ void k(int* x) {
#endif
    asm volatile("" ::: "memory");
    *x = 1;
}
#ifdef NEVER
__device__ int legacy(int v) { return __shfl_down(v, 1); }
#include <cub/cub.cuh>
__global__ void only_there() {}
__constant__ int there;
#elif 0
do not <<<
#endif
#define LEGACY(v) __shfl(v, 0)
enum class E { A, B };
extern "C" __global__ void plain(E e) { auto f = [] __device__(int a) { return a; }; f(1); (void)e; }
extern "C" { __global__ void declared(int* x); }
__global__ void declared(int* x) { *x = 2; }
template <typename T> __global__ void special(T* x);
template <> __global__ void special<int>(int* x) { __shared__ int t; t = 3; *x = t; }
template <> __global__ void special<float>(float* x) { *x = 4; }
template <int N> __global__ void
__launch_bounds__(N) f(int *x)
{
	*x = N;
}
template __global__ void f<32>(int*);
__device__ int curand(int x) { return x; }
__global__ void owner(int* x) { *x = curand(5); }
int main() {
    int x = 0; float y = 0;
    k<<<1, 1>>>(&x); EXPECT(x == 1);
    declared<<<1, 1>>>(&x); EXPECT(x == 2);
    special<int><<<1, 1>>>(&x); EXPECT(x == 3); special<<<1, 1>>>(&y); EXPECT(y == 4);
    f<32><<<1, 32>>>(&x); EXPECT(x == 32); plain<<<1, 1>>>(E::A); owner<<<1, 1>>>(&x); EXPECT(x == 5);
    EXPECT(std::strcmp(kernel_names, "plain declared owner ") == 0 || std::strcmp(kernel_names, "k plain declared owner ") == 0);
    return num_failed;
}
