// feature: Warp matrices: work on elements, loads by columns, tiles of larger matrices
// area: wmma
#include <mma.h>

#include <cstdio>

using namespace nvcuda;

constexpr int size = 64;

// out = 2 * (a * b) + relu(c), one tile of 16 by 16 for each warp; c is stored by columns.
__global__ void fused(const __half* a, const __half* b, const float* c, float* out) {
    __shared__ __half tile[4][16 * 24];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = static_cast<int>(blockIdx.x) * 16, column = warp * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, addend;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < size; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        for (int j = lane; j < 256; j += 32) {
            tile[warp][j / 16 * 24 + j % 16] = b[(i + j / 16) * size + column + j % 16];
        }
        __syncwarp();
        wmma::load_matrix_sync(left, a + row * size + i, size);
        wmma::load_matrix_sync(right, tile[warp], 24);
        for (int j = 0; j < left.num_elements; j++) {
            left.x[j] = __hmul(left.x[j], __float2half(2.0f));
        }
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    wmma::load_matrix_sync(addend, c + column * size + row, size, wmma::mem_col_major);
    for (int j = 0; j < sum.num_elements; j++) {
        sum.x[j] += addend.x[j] > 0 ? addend.x[j] : 0;
    }
    wmma::store_matrix_sync(out + row * size + column, sum, size, wmma::mem_row_major);
}

int main() {
    __half *a, *b;
    float *c, *out;
    cudaMallocManaged(&a, size * size * sizeof(__half));
    cudaMallocManaged(&b, size * size * sizeof(__half));
    cudaMallocManaged(&c, size * size * sizeof(float));
    cudaMallocManaged(&out, size * size * sizeof(float));
    for (int i = 0; i < size * size; i++) {
        a[i] = __float2half(static_cast<float>(i * 3 % 7 - 3));
        b[i] = __float2half(static_cast<float>(i * 5 % 11 - 5));
        c[i] = static_cast<float>(i % 13 - 6);
    }
    fused<<<size / 16, 128>>>(a, b, c, out);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            const float addend = c[column * size + row];
            float sum = addend > 0 ? addend : 0;
            for (int i = 0; i < size; i++) {
                sum += 2 * __half2float(a[row * size + i]) * __half2float(b[i * size + column]);
            }
            right &= sum == out[row * size + column];
        }
    }
    if (!right) std::printf("fused product is wrong\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(out);
    return right ? 0 : 1;
}
