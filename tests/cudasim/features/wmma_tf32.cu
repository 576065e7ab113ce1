// feature: Warp matrices: precision::tf32 with float accumulators, and __float_to_tf32
// area: wmma
#include <mma.h>

#include <cmath>
#include <cstdio>

using namespace nvcuda;

template <class LayoutA, class LayoutB>
__global__ void multiply(const float* a, const float* b, float* d, float* rounded) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, LayoutA> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, LayoutB> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(left, a, std::is_same<LayoutA, wmma::row_major>::value ? 8 : 16);
    wmma::load_matrix_sync(right, b, std::is_same<LayoutB, wmma::row_major>::value ? 16 : 8);
    for (int i = 0; i < left.num_elements; i++) {
        left.x[i] = wmma::__float_to_tf32(left.x[i]);
    }
    for (int i = 0; i < right.num_elements; i++) {
        right.x[i] = wmma::__float_to_tf32(right.x[i]);
    }
    wmma::fill_fragment(sum, 1.0f);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
    if (threadIdx.x < 4) {
        const float step = 1.0f / 1024;
        const float inputs[4] = {1 + step / 2, 1 + step / 4, -1 - step * 1.5f, 1 + step * 0.75f};
        rounded[threadIdx.x] = wmma::__float_to_tf32(inputs[threadIdx.x]);
    }
}

// Ten digits behind the leading one.
float to_tf32(float x) {
    int exponent;
    const float digits = std::frexp(x, &exponent);
    return std::ldexp(std::round(digits * 2048), exponent - 11);
}

template <class LayoutA, class LayoutB>
bool check() {
    const bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    const bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    float *a, *b, *d, *rounded;
    cudaMallocManaged(&a, 128 * sizeof(float));
    cudaMallocManaged(&b, 128 * sizeof(float));
    cudaMallocManaged(&d, 256 * sizeof(float));
    cudaMallocManaged(&rounded, 4 * sizeof(float));
    for (int i = 0; i < 128; i++) {
        a[i] = 0.37f * static_cast<float>(i % 23 - 11);
        b[i] = 0.83f * static_cast<float>(i % 19 - 9);
    }
    multiply<LayoutA, LayoutB><<<1, 32>>>(a, b, d, rounded);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 16; column++) {
            double sum = 1, size = 1;
            for (int i = 0; i < 8; i++) {
                const double x = to_tf32(a[a_rows ? row * 8 + i : i * 16 + row]);
                const double product = x * to_tf32(b[b_rows ? i * 16 + column : column * 8 + i]);
                sum += product;
                size += std::fabs(product);
            }
            right &= std::fabs(sum - d[row * 16 + column]) <= 1e-6 * size;
        }
    }
    const float step = 1.0f / 1024;
    right &= rounded[0] == 1 + step && rounded[1] == 1.0f;
    right &= rounded[2] == -1 - 2 * step && rounded[3] == 1 + step;
    if (!right) std::printf("TF32 with layouts %d, %d is wrong\n", a_rows, b_rows);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
    cudaFree(rounded);
    return right;
}

int main() {
    bool right = check<wmma::row_major, wmma::row_major>();
    right &= check<wmma::row_major, wmma::col_major>();
    right &= check<wmma::col_major, wmma::row_major>();
    right &= check<wmma::col_major, wmma::col_major>();
    return right ? 0 : 1;
}
