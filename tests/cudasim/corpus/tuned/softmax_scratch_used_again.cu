// expect: race
// Two block reductions share one array; the second starts before all have the first result.
#include <cmath>
#include <vector>

template <typename Op>
__device__ float block_reduce(float value, float* scratch, Op op) {
    int tid = threadIdx.x;
    scratch[tid] = value;  // <- race
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) scratch[tid] = op(scratch[tid], scratch[tid + stride]);
        __syncthreads();
    }
    return scratch[0];  // <- race
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
    const int rows = 3, cols = 100, n = rows * cols;
    std::vector<float> in(n, 0.5f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<rows, 64>>>(d_in, d_out, cols);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
