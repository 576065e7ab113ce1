// expect: nothing
// Sparse matrix times vector, eight lanes per row; the sum stays within each group of eight.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void spmv(const int* starts, const int* cols, const float* values, const float* x,
                     float* y, int rows) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 8, lane = thread % 8;
    float sum = 0.0f;
    if (row < rows) {
        for (int i = starts[row] + lane; i < starts[row + 1]; i += 8) sum += values[i] * x[cols[i]];
    }
    for (int offset = 4; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset, 8);
    }
    if (row < rows && lane == 0) y[row] = sum;
}

int main() {
    const int rows = 27;
    std::vector<int> starts = {0}, cols;
    std::vector<float> values, x(rows), y(rows);
    for (int row = 0; row < rows; ++row) {
        x[row] = row * 0.5f - 3.0f;
        for (int col = row % 4; col < rows; col += 1 + row % 6) {
            cols.push_back(col);
            values.push_back(row - col * 0.25f);
        }
        starts.push_back(cols.size());
    }
    int *d_starts, *d_cols;
    float *d_values, *d_x, *d_y;
    cudaMalloc(&d_starts, starts.size() * sizeof(int));
    cudaMalloc(&d_cols, cols.size() * sizeof(int));
    cudaMalloc(&d_values, values.size() * sizeof(float));
    cudaMalloc(&d_x, rows * sizeof(float));
    cudaMalloc(&d_y, rows * sizeof(float));
    cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_cols, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    spmv<<<4, 64>>>(d_starts, d_cols, d_values, d_x, d_y, rows);
    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_starts);
    cudaFree(d_cols);
    cudaFree(d_values);
    cudaFree(d_x);
    cudaFree(d_y);
    for (int row = 0; row < rows; ++row) {
        float want = 0.0f;
        for (int i = starts[row]; i < starts[row + 1]; ++i) want += values[i] * x[cols[i]];
        if (std::fabs(want - y[row]) > 1e-2f) {
            printf("y[%d] is %f, not %f\n", row, y[row], want);
            return 1;
        }
    }
    return 0;
}
