// expect: compile 4-bit and 1-bit elements are not supported by cudasim
#include <mma.h>

using namespace nvcuda;

__global__ void nibbles(int* out) {
    using namespace wmma::experimental::precision;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, s4, wmma::row_major> left;
    out[threadIdx.x] = left.num_elements;
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    nibbles<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
