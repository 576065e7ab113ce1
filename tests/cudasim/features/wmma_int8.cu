// feature: Warp matrices: signed and unsigned char with int accumulators, and saturation
// area: wmma
#include <mma.h>

#include <cstdio>
#include <type_traits>

using namespace nvcuda;

template <class T, class C, class D, int m, int n, int k, class LayoutA, class LayoutB>
__global__ void multiply(const T* a, const T* b, const C* c, D* d) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> left;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> right;
    wmma::fragment<wmma::accumulator, m, n, k, C> before;
    wmma::fragment<wmma::accumulator, m, n, k, D> after;
    wmma::load_matrix_sync(left, a, std::is_same<LayoutA, wmma::row_major>::value ? k : m);
    wmma::load_matrix_sync(right, b, std::is_same<LayoutB, wmma::row_major>::value ? n : k);
    wmma::load_matrix_sync(before, c, n, wmma::mem_row_major);
    wmma::mma_sync(after, left, right, before);
    wmma::store_matrix_sync(d, after, n, wmma::mem_row_major);
}

// Sums that do not fit in an int stop at its ends.
__global__ void saturate(int* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(left, static_cast<signed char>(100));
    wmma::fill_fragment(right, static_cast<signed char>(100));
    wmma::fill_fragment(sum, 2147483647 - 1000);
    wmma::mma_sync(sum, left, right, sum, true);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_col_major);
    wmma::fill_fragment(left, static_cast<signed char>(-100));
    wmma::mma_sync(sum, left, right, sum, false);
    wmma::store_matrix_sync(out + 256, sum, 16, wmma::mem_col_major);
}

template <class T>
void fill(T* x, int size, int step) {
    for (int i = 0; i < size; i++) {
        x[i] = static_cast<T>(i * step % 200 - (std::is_signed<T>::value ? 100 : 0));
    }
}

template <class T, class C, class D, int m, int n, int k, class LayoutA, class LayoutB>
bool check() {
    T *a, *b;
    C* c;
    D* d;
    cudaMallocManaged(&a, m * k * sizeof(T));
    cudaMallocManaged(&b, k * n * sizeof(T));
    cudaMallocManaged(&c, m * n * sizeof(C));
    cudaMallocManaged(&d, m * n * sizeof(D));
    fill(a, m * k, 3);
    fill(b, k * n, 5);
    fill(c, m * n, 2);
    multiply<T, C, D, m, n, k, LayoutA, LayoutB><<<1, 32>>>(a, b, c, d);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    const bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    const bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    for (int row = 0; row < m && right; row++) {
        for (int column = 0; column < n; column++) {
            int sum = c[row * n + column];
            for (int i = 0; i < k; i++) {
                sum += static_cast<int>(a[a_rows ? row * k + i : i * m + row]) *
                       static_cast<int>(b[b_rows ? i * n + column : column * k + i]);
            }
            right = right && sum == d[row * n + column];
        }
    }
    if (!right) std::printf("m%dn%dk%d is wrong\n", m, n, k);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    return right;
}

template <class T, class C, class D, int m, int n, int k>
bool check_layouts() {
    bool right = check<T, C, D, m, n, k, wmma::row_major, wmma::row_major>();
    right &= check<T, C, D, m, n, k, wmma::row_major, wmma::col_major>();
    right &= check<T, C, D, m, n, k, wmma::col_major, wmma::row_major>();
    right &= check<T, C, D, m, n, k, wmma::col_major, wmma::col_major>();
    return right;
}

template <class T, class C, class D>
bool check_shapes() {
    bool right = check_layouts<T, C, D, 16, 16, 16>();
    right &= check_layouts<T, C, D, 32, 8, 16>();
    right &= check_layouts<T, C, D, 8, 32, 16>();
    return right;
}

int main() {
    bool right = check_shapes<signed char, int, int>();
    right &= check_shapes<unsigned char, int, int>();
    int* out;
    cudaMallocManaged(&out, 512 * sizeof(int));
    saturate<<<1, 32>>>(out);
    right &= cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 256; i++) {
        right &= out[i] == 2147483647 && out[256 + i] == 2147483647 - 160000;
    }
    if (!right) std::printf("products of chars are wrong\n");
    cudaFree(out);
    return right ? 0 : 1;
}
