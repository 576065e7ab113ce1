// expect: barrier-divergence
// The usual guard, but before a barrier: the threads behind the end never come to it.
#include <vector>

__global__ void reverse_tiles(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads();  // <- barrier-divergence
    int last = min(63, n - 1 - static_cast<int>(blockIdx.x) * 64);
    out[i] = tile[last - threadIdx.x];
}

int main() {
    const int n = 100;
    std::vector<int> in(n, 1), out(n);
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reverse_tiles<<<2, 64>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
