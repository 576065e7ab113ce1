// expect: warp-divergence invalid-mask deadlock
// Eight lanes per row: the last rows of the last warp do not exist, yet the shuffle under the guard names all 32 lanes.
#include <cstdio>
#include <vector>

__global__ void spmv8(int rows, const int* ptr, const int* col, const double* val, const double* x, double* y) {
    const int team = (blockIdx.x * blockDim.x + threadIdx.x) >> 3;
    const int lane = threadIdx.x & 7;
    __shared__ double norm[8];
    if (lane == 0) norm[threadIdx.x >> 3] = 0.0;
    if (team < rows) {
        double sum = 0.0;
        for (int k = ptr[team] + lane; k < ptr[team + 1]; k += 8) sum += val[k] * x[col[k]];
        sum += __shfl_down_sync(0xffffffff, sum, 4, 8);  // <- warp-divergence invalid-mask deadlock
        sum += __shfl_down_sync(0xffffffff, sum, 2, 8);  // <- warp-divergence invalid-mask deadlock
        sum += __shfl_down_sync(0xffffffff, sum, 1, 8);  // <- warp-divergence invalid-mask deadlock
        if (lane == 0) y[team] = norm[threadIdx.x >> 3] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) norm[0] += norm[i];
        atomicAdd(&y[rows], norm[0]);
    }
}

int main() {
    const int rows = 27, per_row = 6;
    std::vector<int> ptr(rows + 1), col(rows * per_row);
    std::vector<double> val(rows * per_row, 0.5), x(rows, 2.0), y(rows + 1);
    for (int r = 0; r <= rows; ++r) ptr[r] = r * per_row;
    for (int k = 0; k < rows * per_row; ++k) col[k] = k * 5 % rows;
    int *dp, *dc;
    double *dv, *dx, *dy;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&dc, col.size() * sizeof(int));
    cudaMalloc(&dv, val.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, y.size() * sizeof(double));
    spmv8<<<(rows * 8 + 63) / 64, 64>>>(rows, dp, dc, dv, dx, dy);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", y[1]);
    cudaFree(dp);
    cudaFree(dc);
    cudaFree(dv);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
