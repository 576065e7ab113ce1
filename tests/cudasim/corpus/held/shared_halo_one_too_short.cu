// expect: out-of-bounds
// The shared tile has room for one side of the halo only; the last thread stores behind it.
#include <vector>

constexpr int THREADS = 64;

__global__ void smooth(const int* in, int* out) {
    __shared__ int tile[THREADS + 1];
    int tid = threadIdx.x;
    tile[tid + 1] = in[tid + 1];
    if (tid == 0) tile[0] = in[0];
    if (tid == THREADS - 1) tile[tid + 2] = in[tid + 2];  // <- out-of-bounds
    __syncthreads();
    out[tid] = tile[tid] + tile[tid + 1] + tile[tid + 2];  // <- out-of-bounds
}

int main() {
    std::vector<int> in(THREADS + 2, 1), out(THREADS);
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, THREADS * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    smooth<<<1, THREADS>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, THREADS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
