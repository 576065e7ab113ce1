// expect: out-of-bounds
// The padded Blelloch scan, launched with shared memory for the values alone.
#include <cassert>
#include <vector>

namespace scan {
constexpr int kBanksLog = 5;
__device__ constexpr int pad(int i) { return i + (i >> kBanksLog); }

__global__ void exclusive(unsigned *data, int n) {
    extern __shared__ unsigned t[];
    const int id = threadIdx.x;
    unsigned *mine = data + blockIdx.x * n;
    t[pad(2 * id)] = mine[2 * id];  // <- out-of-bounds
    t[pad(2 * id + 1)] = mine[2 * id + 1];  // <- out-of-bounds
    int step = 1;
    for (int d = n / 2; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (id < d) t[pad(step * (2 * id + 2) - 1)] += t[pad(step * (2 * id + 1) - 1)];
    }
    __syncthreads();
    if (id == 0) t[pad(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        __syncthreads();
        if (id < d) {
            unsigned &l = t[pad(step * (2 * id + 1) - 1)], &r = t[pad(step * (2 * id + 2) - 1)];
            unsigned old = l;
            l = r;
            r += old;
        }
    }
    __syncthreads();
    mine[2 * id] = t[pad(2 * id)];
    mine[2 * id + 1] = t[pad(2 * id + 1)];
}
}  // namespace scan

int main() {
    const int n = 128, blocks = 3;
    std::vector<unsigned> h(n * blocks, 1u);
    unsigned *d;
    cudaMalloc(&d, h.size() * sizeof(unsigned));
    cudaMemcpy(d, h.data(), h.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    scan::exclusive<<<blocks, n / 2, n * sizeof(unsigned)>>>(d, n);
    cudaMemcpy(h.data(), d, h.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return 0;
}
