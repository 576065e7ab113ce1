// expect: misaligned
#include <mma.h>

using namespace nvcuda;

// Rows of 17 floats are not where the instruction can store two at once.
__global__ void odd_rows(int* out) {
    __shared__ alignas(32) float tile[16 * 17];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(tile, sum, 17, wmma::mem_row_major);
    __syncthreads();
    out[threadIdx.x] = static_cast<int>(tile[threadIdx.x]);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    odd_rows<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
