// feature: __noinline__, __forceinline__, __builtin_assume, __builtin_align__, __prof_trigger
// area: language
#include <cstdio>
#include <memory>

#define SLOW_PATH __noinline__ __device__
struct __builtin_align__(16) Four {
    float v[4];
};
__noinline__ __device__ int twice(int x) { return 2 * x; }
SLOW_PATH int thrice(int x) { return 3 * x; }
__attribute__((__noinline__)) __device__ int plain(int x) { return x; }
__device__ __forceinline__ int half(int x) { return x / 2; }

__global__ void use(int* out, int n) {
    __shared__ __builtin_align__(32) char bytes[32];
    __builtin_assume(n > 0);
    __prof_trigger(1);
    const auto place = reinterpret_cast<unsigned long long>(bytes);
    *out = twice(n) + thrice(n) + plain(n) + half(n) + static_cast<int>(alignof(Four) + place % 32);
}

int main() {
    const auto host = std::make_shared<int>(0);
    int* out;
    cudaMalloc(&out, sizeof(int));
    use<<<1, 1>>>(out, 20);
    cudaMemcpy(host.get(), out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    std::printf(*host == 146 ? "" : "%d\n", *host);
    return *host != 146;
}
