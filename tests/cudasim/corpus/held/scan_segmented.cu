// expect: nothing
// Segmented inclusive scan over pairs of head flag and value with a user-defined associative operator.
#include <cstdio>
#include <random>
#include <vector>

struct Pair {
    int flag;
    float value;
};

struct SegmentedPlus {
    __host__ __device__ Pair operator()(const Pair& a, const Pair& b) const {
        return Pair{a.flag | b.flag, b.flag ? b.value : a.value + b.value};
    }
};

template <int THREADS, class Op>
__global__ void block_scan(const Pair* in, Pair* out, Pair* carry, int n, Op op) {
    __shared__ Pair buffer[2][THREADS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    int src = 0;
    buffer[src][t] = i < n ? in[i] : Pair{0, 0.0f};
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2, src ^= 1) {
        buffer[src ^ 1][t] = t >= d ? op(buffer[src][t - d], buffer[src][t]) : buffer[src][t];
        __syncthreads();
    }
    if (i < n) out[i] = buffer[src][t];
    if (t == THREADS - 1) carry[blockIdx.x] = buffer[src][t];
}

template <int THREADS, class Op>
__global__ void add_carry(Pair* out, const Pair* carry, int n, Op op) {
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n || blockIdx.x == 0) return;
    Pair before = carry[0];
    for (unsigned b = 1; b < blockIdx.x; ++b) before = op(before, carry[b]);
    out[i] = op(before, out[i]);
}

int main() {
    constexpr int threads = 64;
    const int n = 395, blocks = (n + threads - 1) / threads;
    std::mt19937 gen(7);
    std::bernoulli_distribution head(0.04);
    std::vector<Pair> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = Pair{head(gen) ? 1 : 0, float(gen() % 8)};
    Pair *d_in, *d_out, *d_carry;
    cudaMalloc(&d_in, n * sizeof(Pair));
    cudaMalloc(&d_out, n * sizeof(Pair));
    cudaMalloc(&d_carry, blocks * sizeof(Pair));
    cudaMemcpy(d_in, in.data(), n * sizeof(Pair), cudaMemcpyHostToDevice);
    block_scan<threads><<<blocks, threads>>>(d_in, d_out, d_carry, n, SegmentedPlus{});
    add_carry<threads><<<blocks, threads>>>(d_out, d_carry, n, SegmentedPlus{});
    cudaMemcpy(out.data(), d_out, n * sizeof(Pair), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_carry);
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        sum = in[i].flag ? in[i].value : sum + in[i].value;
        if (out[i].value != sum) {
            printf("%d: %g, not %g\n", i, out[i].value, sum);
            return 1;
        }
    }
    return 0;
}
