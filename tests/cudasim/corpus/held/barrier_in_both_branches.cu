// expect: barrier-divergence
// Loaders and helpers of one block each wait at a barrier of their own branch.
#include <vector>

__global__ void split(const int* in, int* out) {
    __shared__ int tile[64];
    int tid = threadIdx.x;
    tile[tid] = 0;
    __syncthreads();
    if (tid < 32) {
        tile[tid] = in[tid];
        __syncthreads();  // <- barrier-divergence
        out[tid] = tile[tid + 32];
    } else {
        tile[tid] = in[tid] * 2;
        __syncthreads();  // <- barrier-divergence
        out[tid] = tile[tid - 32];
    }
}

int main() {
    std::vector<int> in(64, 1), out(64);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    split<<<1, 64>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
