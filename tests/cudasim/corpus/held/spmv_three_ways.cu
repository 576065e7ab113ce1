// expect: nothing
// y = A x in CSR: a thread per row, a warp per row, and eight lanes per row; chosen by a template argument and by row length.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

template <typename T>
struct CsrView {
    int rows;
    const int* __restrict__ offsets;
    const int* __restrict__ columns;
    const T* __restrict__ values;
    __device__ __host__ int begin(int r) const { return offsets[r]; }
    __device__ __host__ int end(int r) const { return offsets[r + 1]; }
};

template <int LANES, typename T>
__global__ void spmv(CsrView<T> A, const T* x, T* y) {
    if constexpr (LANES == 1) {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        if (r < A.rows) {
            T s = 0;
            for (int k = A.begin(r); k < A.end(r); ++k) s += A.values[k] * x[A.columns[k]];
            y[r] = s;
        }
    } else if constexpr (LANES == 32) {
        int lane = threadIdx.x & 31;
        for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < A.rows; r += gridDim.x * blockDim.x / 32) {
            T s = 0;
            for (int k = A.begin(r) + lane; k < A.end(r); k += 32) s += A.values[k] * x[A.columns[k]];
            for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
            if (lane == 0) y[r] = s;
        }
    } else {
        auto tile = cooperative_groups::tiled_partition<LANES>(cooperative_groups::this_thread_block());
        int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
        if (r >= A.rows) return;
        T s = 0;
        for (int k = A.begin(r) + tile.thread_rank(); k < A.end(r); k += tile.size()) s += A.values[k] * x[A.columns[k]];
        s = cooperative_groups::reduce(tile, s, cooperative_groups::plus<T>());
        if (tile.thread_rank() == 0) y[r] = s;
    }
}

template <typename T>
bool test() {
    const int rows = 83, cols = 61;
    std::vector<int> off{0}, col;
    std::vector<T> val, x(cols), y(rows);
    for (int r = 0; r < rows; ++r) {
        int nnz = r % 9 == 0 ? 0 : (r * 17) % 50;
        for (int k = 0; k < nnz; ++k) col.push_back((r + k * 7) % cols), val.push_back(T(((r ^ k) % 11) - 5));
        off.push_back(col.size());
    }
    std::iota(x.begin(), x.end(), T(1));
    int *doff, *dcol;
    T *dval, *dx, *dy;
    cudaMalloc(&doff, off.size() * sizeof(int));
    cudaMalloc(&dcol, col.size() * sizeof(int));
    cudaMalloc(&dval, val.size() * sizeof(T));
    cudaMalloc(&dx, x.size() * sizeof(T));
    cudaMalloc(&dy, y.size() * sizeof(T));
    cudaMemcpy(doff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dcol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dval, val.data(), val.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
    CsrView<T> A{rows, doff, dcol, dval};
    bool ok = true;
    for (int way = 0; way < 3; ++way) {
        cudaMemset(dy, 0xff, y.size() * sizeof(T));
        if (way == 0) spmv<1><<<3, 32>>>(A, dx, dy);
        if (way == 1) spmv<32><<<4, 96>>>(A, dx, dy);
        if (way == 2) spmv<8><<<(rows * 8 + 63) / 64, 64>>>(A, dx, dy);
        cudaMemcpy(y.data(), dy, y.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (int r = 0; r < rows; ++r) {
            T want = 0;
            for (int k = off[r]; k < off[r + 1]; ++k) want += val[k] * x[col[k]];
            if (!(std::abs(want - y[r]) < T(1e-3))) ok = false;
        }
    }
    cudaFree(doff), cudaFree(dcol), cudaFree(dval), cudaFree(dx), cudaFree(dy);
    return ok;
}

int main() {
    bool ok = test<float>() && test<double>();
    if (!ok) printf("differs\n");
    return !ok;
}
