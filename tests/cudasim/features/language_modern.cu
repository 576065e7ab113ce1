// feature: constexpr, enum class, structured bindings, range for, namespaces, user literals, auto
// area: language
#include <cstdint>
#include <cstdio>

namespace outer::inner {
enum class Color : std::uint8_t { red = 1, green = 2, blue = 4 };
constexpr __host__ __device__ int square(int x) { return x * x; }
__device__ inline int helper(Color color) { return static_cast<int>(color) * 10; }
namespace {
__device__ int hidden() { return 1; }
}  // namespace
struct Range {
    int low, high;
};
__device__ Range split(int i) { return {i / 4, i % 4}; }
__global__ void run(int* out);
}  // namespace outer::inner

constexpr int table_size = outer::inner::square(3);
__device__ constexpr int powers[4] = {1, 10, 100, 1000};

__host__ __device__ constexpr unsigned operator""_threads(unsigned long long n) {
    return static_cast<unsigned>(n);
}

__global__ void outer::inner::run(int* out) {
    const auto [low, high] = split(threadIdx.x);
    int values[table_size] = {};
    int sum = 0;
    for (auto& value : values) {
        value = 2;
    }
    for (const int value : values) {
        sum += value;
    }
    switch (static_cast<Color>(1 << threadIdx.x % 3)) {
        case Color::red:
            sum += helper(Color::red);
            break;
        case Color::green:
            sum += helper(Color::green);
            [[fallthrough]];
        case Color::blue:
            sum += helper(Color::blue);
    }
    if (const int x = powers[high]; x > 1) {
        sum += x;
    }
    out[threadIdx.x] = sum + 10000 * low + hidden();
}

int main() {
    namespace in = outer::inner;
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    in::run<<<1, 32_threads>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    const int colors[3] = {10, 60, 40}, powers_of[4] = {0, 10, 100, 1000};
    for (int i = 0; i < 32; i++) {
        const int want = 18 + colors[i % 3] + powers_of[i % 4] + 10000 * (i / 4) + 1;
        if (host[i] != want) {
            std::printf("out[%d] is %d and not %d\n", i, host[i], want);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
