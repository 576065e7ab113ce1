// expect: out-of-bounds
// Sparse matrix times vector: the array of row starts lacks its closing entry.
#include <vector>

__global__ void spmv(const int* starts, const int* cols, const float* values, const float* x,
                     float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    int end = starts[row + 1];  // <- out-of-bounds
    for (int i = starts[row]; i < end; ++i) sum += values[i] * x[cols[i]];
    y[row] = sum;
}

int main() {
    const int rows = 40, count = rows * 3;
    std::vector<int> starts(rows), cols(count);
    std::vector<float> values(count, 2.0f), x(rows, 1.0f), y(rows);
    for (int row = 0; row < rows; ++row) starts[row] = row * 3;
    for (int i = 0; i < count; ++i) cols[i] = i * 7 % rows;
    int *d_starts, *d_cols;
    float *d_values, *d_x, *d_y;
    cudaMalloc(&d_starts, rows * sizeof(int));
    cudaMalloc(&d_cols, count * sizeof(int));
    cudaMalloc(&d_values, count * sizeof(float));
    cudaMalloc(&d_x, rows * sizeof(float));
    cudaMalloc(&d_y, rows * sizeof(float));
    cudaMemcpy(d_starts, starts.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_cols, cols.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_values, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    spmv<<<2, 32>>>(d_starts, d_cols, d_values, d_x, d_y, rows);
    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_starts);
    cudaFree(d_cols);
    cudaFree(d_values);
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
