// expect: compile there is no wmma accumulator of this shape and type
#include <mma.h>

using namespace nvcuda;

__global__ void narrow_sum(int* out) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, __nv_bfloat16> sum;
    out[threadIdx.x] = static_cast<int>(sizeof sum);
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    narrow_sum<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
