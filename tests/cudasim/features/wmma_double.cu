// feature: Warp matrices: double, m8n8k4
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

// Small numbers, of which all sums are exact in every order.
template <class T>
void fill(T* x, int size, int step) {
    for (int i = 0; i < size; i++) {
        x[i] = static_cast<T>(static_cast<float>(i * step % 7 - 3));
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
            float sum = static_cast<float>(c[row * n + column]);
            for (int i = 0; i < k; i++) {
                sum += static_cast<float>(a[a_rows ? row * k + i : i * m + row]) *
                       static_cast<float>(b[b_rows ? i * n + column : column * k + i]);
            }
            right = right && sum == static_cast<float>(d[row * n + column]);
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

int main() { return check_layouts<double, double, double, 8, 8, 4>() ? 0 : 1; }
