// expect: nothing
// Stable stream compaction: flags, block scan with a functor, offsets by a second kernel; struct elements, functors, unique_ptr-free RAII.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpu {
inline void check(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e));
}
template <class T>
class buffer {
    T* p_ = nullptr;
    std::size_t n_ = 0;
public:
    explicit buffer(std::size_t n) : n_(n) { check(cudaMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T))); }
    explicit buffer(const std::vector<T>& h) : buffer(h.size()) {
        check(cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    buffer(const buffer&) = delete;
    buffer(buffer&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
    ~buffer() { cudaFree(p_); }
    operator T*() const { return p_; }
    std::vector<T> host(std::size_t n) const {
        std::vector<T> h(n);
        check(cudaMemcpy(h.data(), p_, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
};
}  // namespace gpu

struct Particle {
    float x, y;
    short cell;
    bool alive;
};

struct Alive {
    __host__ __device__ bool operator()(const Particle& p) const { return p.alive && p.cell >= 0; }
};

template <int T, class P>
__global__ void count(const Particle* in, int n, int* counts, P pred) {
    int i = blockIdx.x * T + threadIdx.x;
    int c = __syncthreads_count(i < n && pred(in[i]));
    if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

template <int T, class P>
__global__ void scatter(const Particle* in, int n, const int* counts, Particle* out, int* total, P pred) {
    __shared__ int warps[T / 32];
    __shared__ int base;
    const int i = blockIdx.x * T + threadIdx.x, lane = threadIdx.x % 32, w = threadIdx.x / 32;
    const bool keep = i < n && pred(in[i]);
    const unsigned votes = __ballot_sync(~0u, keep);
    if (!lane) warps[w] = __popc(votes);
    if (threadIdx.x == 0) {
        int b = 0;
        for (int k = 0; k < int(blockIdx.x); ++k) b += counts[k];
        base = b;
        if (blockIdx.x == gridDim.x - 1) *total = b + counts[blockIdx.x];
    }
    __syncthreads();
    int at = base + __popc(votes & ~(~0u << lane));
    for (int k = 0; k < w; ++k) at += warps[k];
    if (keep) out[at] = in[i];
}

int main() try {
    constexpr int T = 128;
    const int n = 905, blocks = (n + T - 1) / T;
    std::vector<Particle> h(n), want;
    for (int i = 0; i < n; ++i) h[i] = Particle{float(i), float(-i), short(i % 9 - 2), i % 4 != 1};
    for (auto& p : h) if (Alive{}(p)) want.push_back(p);
    gpu::buffer<Particle> in(h), out(n);
    gpu::buffer<int> counts(blocks), total(1);
    count<T><<<blocks, T>>>(in, n, counts, Alive{});
    scatter<T><<<blocks, T>>>(in, n, counts, out, total, Alive{});
    gpu::check(cudaGetLastError());
    const int m = total.host(1)[0];
    if (m != int(want.size())) return std::printf("%d kept\n", m), 1;
    auto got = out.host(m);
    for (int i = 0; i < m; ++i)
        if (got[i].x != want[i].x || got[i].cell != want[i].cell) return std::printf("wrong at %d\n", i), 1;
    return 0;
} catch (const std::exception& e) {
    std::puts(e.what());
    return 2;
}
