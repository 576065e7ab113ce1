// expect: RAW
#include <mma.h>

using namespace nvcuda;

// The lanes store together, but nothing orders what they have stored.
__global__ void without_syncwarp(int* out) {
    __shared__ alignas(32) float tile[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
    out[threadIdx.x] = static_cast<int>(tile[255 - threadIdx.x]);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    without_syncwarp<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
