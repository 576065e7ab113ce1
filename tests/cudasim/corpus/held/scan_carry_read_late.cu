// expect: race
// may: uninitialized
// Chunked scan of one block: the carry for the next chunk is stored while slower warps still read the old one.
#include <cstdio>
#include <vector>

template <typename T, int N>
class BlockScan {
    T* sums_;
    T* carry_;

  public:
    struct Storage {
        T sums[N / 32];
        T carry;
    };
    __device__ explicit BlockScan(Storage& s) : sums_(s.sums), carry_(&s.carry) {}
    __device__ T inclusive(T v) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int d = 1; d < 32; d *= 2) {
            T other = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += other;
        }
        if (lane == 31) sums_[warp] = v;  // <- race
        __syncthreads();
        T before = *carry_;  // <- race
        for (int k = 0; k < warp; ++k) before += sums_[k];  // <- race
        v += before;
        if (threadIdx.x == N - 1) *carry_ = v;  // <- race
        return v;
    }
};

__global__ void scan(const unsigned* in, unsigned* out, int n) {
    using Scan = BlockScan<unsigned, 96>;
    __shared__ Scan::Storage storage;
    if (threadIdx.x == 0) storage.carry = 0;
    Scan s(storage);
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + threadIdx.x;
        unsigned v = s.inclusive(i < n ? in[i] : 0u);
        if (i < n) out[i] = v;
    }
}

int main() {
    const int n = 500;
    std::vector<unsigned> h(n, 2);
    unsigned *a, *b;
    cudaMalloc(&a, n * sizeof(unsigned));
    cudaMalloc(&b, n * sizeof(unsigned));
    cudaMemcpy(a, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    scan<<<1, 96>>>(a, b, n);
    cudaMemcpy(h.data(), b, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", h[n - 1]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
