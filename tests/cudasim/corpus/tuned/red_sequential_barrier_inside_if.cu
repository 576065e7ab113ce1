// expect: barrier-divergence
// may: race deadlock
// Third rung, sequential addressing; the barrier slid into the branch of the working half.
#include <iostream>
#include <vector>

template <typename T>
__global__ void reduceSequential(const T* __restrict__ in, T* __restrict__ out, size_t n) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    const unsigned tid = threadIdx.x;
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
    s[tid] = i < n ? in[i] : T(0);
    __syncthreads();  // <- barrier-divergence
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) {
            s[tid] += s[tid + stride];  // <- race
            __syncthreads();  // <- barrier-divergence deadlock
        }
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

int main() {
    constexpr size_t n = 777;
    constexpr unsigned tpb = 128;
    const unsigned blocks = static_cast<unsigned>((n + tpb - 1) / tpb);
    std::vector<double> h(n, 0.5), partial(blocks);
    double *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(double) * n);
    cudaMalloc(&d_out, sizeof(double) * blocks);
    cudaMemcpy(d_in, h.data(), sizeof(double) * n, cudaMemcpyHostToDevice);
    reduceSequential<double><<<blocks, tpb, tpb * sizeof(double)>>>(d_in, d_out, n);
    cudaMemcpy(partial.data(), d_out, sizeof(double) * blocks, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double p : partial) sum += p;
    std::cout << sum << std::endl;
    cudaFree(d_in);
    cudaFree(d_out);
}
