// expect: out-of-bounds
#include <mma.h>

using namespace nvcuda;

__global__ void beyond_the_end(int* out) {
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 1.0);
    wmma::store_matrix_sync(reinterpret_cast<double*>(out), sum, 8, wmma::mem_row_major);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    beyond_the_end<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
