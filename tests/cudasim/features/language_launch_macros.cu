// feature: kernels and launches made by macros, also macros that are <<<grid, block>>> alone
// area: language
#include <cstdio>

#ifdef __CUDACC__
#define SHAPE(grid, block) <<<grid, block>>>
#define SHAPE_OF_ONE <<<1, 1>>>
#else
#define SHAPE(grid, block)
#define SHAPE_OF_ONE
#endif
#define BOUNDS(threads) __launch_bounds__(threads)
#define KERNEL __global__ void
#define TEMPLATE_KERNEL template <class T> __global__ void
// Names that a program may well give: no generated text may hold one.
#define launch 1 +
#define shared __shared__
#define plain 2 *
#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#define LAUNCH_OF(kernel, T, ...) kernel<T> SHAPE(1, 32)(__VA_ARGS__)
#define DEFINE_STEP(name, expression)             \
    template <class T>                            \
    __global__ void name##_kernel(T* x) {         \
        const T v = x[threadIdx.x];               \
        x[threadIdx.x] = expression;              \
    }                                             \
    template <class T>                            \
    void name(T* x) {                             \
        name##_kernel<<<1, 32>>>(x);              \
    }

DEFINE_STEP(square, v* v)
DEFINE_STEP(negate, -v)
extern "C" KERNEL add(int* x, int) { x[threadIdx.x] += 1; }
TEMPLATE_KERNEL twice(T* x) { x[threadIdx.x] *= 2; }
template <int N>
KERNEL BOUNDS(N * 32) plus(int* x) {
    x[threadIdx.x] += N;
}
namespace inner {
static KERNEL thrice(int* x) { x[threadIdx.x] *= 3; }
}  // namespace inner

int main() {
    int *x, host[32];
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    LAUNCH(add, x, 0);                // 1
    LAUNCH(twice<int>, x);            // 2
    LAUNCH_OF(twice, int, x);         // 4
    LAUNCH((plus<3>), x);             // 7
    LAUNCH(inner::thrice, x);         // 21
    square(x);                        // 441
    negate(x);                        // -441
    add SHAPE(1, 32)(x, 0);           // -440
    twice SHAPE(dim3(1), dim3(32))(x);  // -880
    for (auto kernel : {&plus<1>, &plus<2>}) {
        kernel SHAPE(1, 32)(x);  // -877
    }
    plus<4> SHAPE_OF_ONE(x);  // -873, the first one only
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x);
    if (host[0] != -873 || host[31] != -877) {
        std::printf("%d %d\n", host[0], host[31]);
        return 1;
    }
    return 0;
}
