// expect: race
// may: uninitialized
// Histograms of the warps are merged by all threads, with no barrier after the counting.
#include <cstdio>
#include <vector>

template <unsigned Warps, unsigned Bins>
struct WarpHistogram {
    unsigned count[Warps][Bins];
    __device__ void clear() {
        for (unsigned k = threadIdx.x; k < Warps * Bins; k += blockDim.x) (&count[0][0])[k] = 0;
    }
    __device__ void add(unsigned bin) {
        atomicAdd(&count[threadIdx.x / 32][bin], 1u);  // <- race
    }
    __device__ unsigned total(unsigned bin) const {
        unsigned sum = 0;
#pragma unroll
        for (unsigned w = 0; w < Warps; ++w) sum += count[w][bin];  // <- race
        return sum;
    }
};

__global__ void low_bits(const unsigned* in, unsigned n, unsigned* out) {
    __shared__ WarpHistogram<4, 16> hist;
    hist.clear();
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) hist.add(in[i] & 15);
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], hist.total(threadIdx.x));
}

int main() {
    const unsigned n = 999;
    std::vector<unsigned> in(n);
    for (unsigned i = 0; i < n; ++i) in[i] = i * 2654435761u >> 7;
    unsigned *d_in, *d_out, out[16];
    cudaMalloc(&d_in, n * sizeof(unsigned));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof(out));
    low_bits<<<2, 128>>>(d_in, n, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%u\n", out[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
