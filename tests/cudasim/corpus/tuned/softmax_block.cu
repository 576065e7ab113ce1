// expect: nothing
// Softmax, one block per row: maximum and sum by the same shared array, used one after the other.
#include <cmath>
#include <cstdio>
#include <vector>

template <typename Op>
__device__ float block_reduce(float value, float* scratch, Op op) {
    int tid = threadIdx.x;
    scratch[tid] = value;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) scratch[tid] = op(scratch[tid], scratch[tid + stride]);
        __syncthreads();
    }
    float result = scratch[0];
    __syncthreads();  // the caller may use the array again at once
    return result;
}

__global__ void softmax(const float* in, float* out, int cols) {
    __shared__ float scratch[64];
    const float* row = in + blockIdx.x * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) largest = fmaxf(largest, row[i]);
    largest = block_reduce(largest, scratch, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += expf(row[i] - largest);
    sum = block_reduce(sum, scratch, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        out[blockIdx.x * cols + i] = expf(row[i] - largest) / sum;
    }
}

int main() {
    const int rows = 5, cols = 150;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i) in[i] = (i * 31 % 41) * 0.3f - 5.0f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<rows, 64>>>(d_in, d_out, cols);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
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
