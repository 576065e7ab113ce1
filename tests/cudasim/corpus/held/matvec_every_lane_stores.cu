// expect: WAW
// Matrix times vector, a warp per row: after the downward shuffles every lane stores its sum.
#include <vector>

__global__ void matvec(const float* a, const float* x, float* y, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    float sum = lane * 0.001f;
    for (int i = lane; i < cols; i += 32) sum += a[row * cols + i] * x[i];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    y[row] = sum;  // <- WAW
}

int main() {
    const int rows = 8, cols = 50;
    std::vector<float> a(rows * cols), x(cols, 1.0f), y(rows);
    for (int i = 0; i < rows * cols; ++i) a[i] = i;
    float *d_a, *d_x, *d_y;
    cudaMalloc(&d_a, a.size() * sizeof(float));
    cudaMalloc(&d_x, cols * sizeof(float));
    cudaMalloc(&d_y, rows * sizeof(float));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
    matvec<<<2, dim3(32, 4)>>>(d_a, d_x, d_y, cols);
    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
