// expect: nothing
// Online softmax, one warp per row: running maximum and sum are merged by butterfly shuffles.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void softmax(float* data, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;  // a whole warp leaves
    float* x = data + row * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = lane; i < cols; i += 32) {
        float next = fmaxf(largest, x[i]);
        sum = sum * expf(largest - next) + expf(x[i] - next);
        largest = next;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other_max = __shfl_xor_sync(0xffffffffu, largest, offset);
        float other_sum = __shfl_xor_sync(0xffffffffu, sum, offset);
        float next = fmaxf(largest, other_max);
        sum = sum * expf(largest - next) + other_sum * expf(other_max - next);
        largest = next;
    }
    for (int i = lane; i < cols; i += 32) x[i] = expf(x[i] - largest) / sum;
}

int main() {
    const int rows = 6, cols = 75;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i) in[i] = (i * 13 % 29) * 0.5f;
    float* d_data;
    cudaMalloc(&d_data, in.size() * sizeof(float));
    cudaMemcpy(d_data, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<2, 128>>>(d_data, rows, cols);
    cudaMemcpy(out.data(), d_data, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    for (int row = 0; row < rows; ++row) {
        double sum = 0.0;
        for (int i = 0; i < cols; ++i) sum += std::exp(static_cast<double>(in[row * cols + i]));
        for (int i = 0; i < cols; ++i) {
            double want = std::exp(static_cast<double>(in[row * cols + i])) / sum;
            if (std::fabs(out[row * cols + i] - want) > 1e-5) {
                printf("out[%d][%d] is %f, not %f\n", row, i, out[row * cols + i], want);
                return 1;
            }
        }
    }
    return 0;
}
