// expect: RAW
// Sum in one launch: the partial sum is not fenced before the ticket is taken.
#include <vector>

__device__ unsigned tickets = 0;

__global__ void reduce(const int* in, int* partial, int* out) {
    __shared__ int sums[64];
    __shared__ bool is_last;
    int tid = threadIdx.x;
    sums[tid] = in[blockIdx.x * 64 + tid];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride) sums[tid] += sums[tid + stride];
        __syncthreads();
    }
    if (tid == 0) {
        partial[blockIdx.x] = sums[0];  // <- RAW
        is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && tid == 0) {
        int total = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) {
            total += partial[block];  // <- RAW
        }
        *out = total;
    }
}

int main() {
    const int blocks = 6;
    std::vector<int> in(blocks * 64, 2);
    int *d_in, *d_partial, *d_out, out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_partial, blocks * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<blocks, 64>>>(d_in, d_partial, d_out);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    return 0;
}
