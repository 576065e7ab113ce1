// expect: host-pointer
// A struct is copied to the device as it is, with a member that points at host memory.
#include <vector>

struct Matrix {
    int rows, cols;
    float* values;
};

__global__ void trace(const Matrix* matrix, float* out) {
    float sum = 0.0f;
    for (int i = 0; i < matrix->rows; ++i) {
        sum += matrix->values[i * matrix->cols + i];  // <- host-pointer
    }
    *out = sum;
}

int main() {
    const int n = 6;
    std::vector<float> values(n * n, 1.0f);
    Matrix matrix = {n, n, values.data()}, *d_matrix;
    float *d_out, out;
    cudaMalloc(&d_matrix, sizeof(Matrix));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_matrix, &matrix, sizeof(Matrix), cudaMemcpyHostToDevice);
    trace<<<1, 1>>>(d_matrix, d_out);
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_out);
    return 0;
}
