// expect: nothing
// Odd but legal styles: launches by a macro, in lambdas and static members, function pointers, fold expressions, tables.
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#define LAUNCH(kernel, grid, block, ...) kernel<<<(grid), (block)>>>(__VA_ARGS__)

namespace detail { namespace v2 {
enum class Op : int { kAdd, kMax, kMin };

template <Op op>
__device__ __forceinline__ int apply(int a, int b) {
    if constexpr (op == Op::kAdd) return a + b;
    else if constexpr (op == Op::kMax) return a > b ? a : b;
    else return a < b ? a : b;
}

using Fn = int (*)(int, int);
__device__ Fn table[] = {apply<Op::kAdd>, apply<Op::kMax>, apply<Op::kMin>};
__device__ const int identity[3] = {0, -1 << 30, 1 << 30};

template <typename... Ts>
__device__ constexpr auto sum_all(Ts... xs) { return (xs + ... + 0); }

struct Tables {
    static constexpr int byte = 8;
    __host__ __device__ static constexpr int shift(int k) { return k * byte; }
};
}}  // namespace detail::v2

template <int THREADS>
__global__ void reduce_any(const int* __restrict__ in, int n, int which, int* __restrict__ out) {
    using namespace detail::v2;
    __shared__ int s[THREADS];
    Fn f = table[which];
    int v = identity[which];
    for (int i = threadIdx.x; i < n; i += THREADS) v = f(v, in[i]);
    s[threadIdx.x] = v;
    for (int h = THREADS / 2; h; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] = f(s[threadIdx.x], s[threadIdx.x + h]);
    }
    if (!threadIdx.x) out[which] = *s;
}

extern "C" __global__ void bytes(const unsigned* in, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned w = in[i];
    out[i] = detail::v2::sum_all((w >> detail::v2::Tables::shift(0)) & 255u, (w >> detail::v2::Tables::shift(1)) & 255u,
                                 (w >> detail::v2::Tables::shift(2)) & 255u, (w >> detail::v2::Tables::shift(3)) & 255u);
}

class Launcher {
public:
    template <int T>
    static void run(const int* in, int n, int which, int* out) { reduce_any<T> <<<1, T>>>(in, n, which, out); }
};

int main() {
    const int n = 401;
    std::vector<int> h(n);
    std::vector<unsigned> b(n);
    int sum = 0, hi = -1 << 30, lo = 1 << 30;
    for (int i = 0; i < n; ++i) {
        h[i] = i * 7919 % 1237 - 600;
        sum += h[i];
        hi = h[i] > hi ? h[i] : hi;
        lo = h[i] < lo ? h[i] : lo;
    }
    int *d_in, *d_out, out[3];
    unsigned* d_bytes;
    cudaMalloc(&d_in, n * sizeof(int)), cudaMalloc(&d_out, sizeof out), cudaMalloc(&d_bytes, n * sizeof(unsigned));
    cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    auto go = [=](int which) { Launcher::run<64>(d_in, n, which, d_out); };
    for (int which : {0, 1}) go(which);
    LAUNCH((reduce_any<128>), dim3(1), dim3(128), d_in, n, 2, d_out);
    bytes <<<(n + 63) / 64, 64, 0>>>(reinterpret_cast<unsigned*>(d_in), d_bytes, n);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), d_bytes, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (void* p : {(void*)d_in, (void*)d_out, (void*)d_bytes}) cudaFree(p);
    auto [s, mx, mn] = std::make_tuple(out[0], out[1], out[2]);
    int bad = s != sum || mx != hi || mn != lo;
    for (int i = 0; i < n; ++i) {
        unsigned w = h[i], want = (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
        bad |= b[i] != want;
    }
    if (bad) printf("%d %d %d, not %d %d %d\n", s, mx, mn, sum, hi, lo);
    return bad;
}
