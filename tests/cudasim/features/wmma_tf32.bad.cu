// expect: deadlock
#include <mma.h>

using namespace nvcuda;

__global__ void half_a_warp(int* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(left, 1.0f);
    wmma::fill_fragment(right, 1.0f);
    wmma::fill_fragment(sum, 1.0f);
    if (threadIdx.x < 16) {
        wmma::mma_sync(sum, left, right, sum);
    }
    __syncthreads();
    out[threadIdx.x] = static_cast<int>(sum.x[0]);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    half_a_warp<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
