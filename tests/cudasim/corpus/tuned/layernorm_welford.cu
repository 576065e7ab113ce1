// expect: nothing
// Layer norm: each thread runs Welford's update, the states are merged as a tree of structs.
#include <cmath>
#include <cstdio>
#include <vector>

struct Welford {
    float count, mean, m2;

    __host__ __device__ void add(float x) {
        count += 1.0f;
        float delta = x - mean;
        mean += delta / count;
        m2 += delta * (x - mean);
    }

    __host__ __device__ void merge(const Welford& other) {
        if (other.count == 0.0f) return;
        float total = count + other.count, delta = other.mean - mean;
        mean += delta * other.count / total;
        m2 += other.m2 + delta * delta * count * other.count / total;
        count = total;
    }
};

__global__ void layernorm(const float* in, float* out, int cols, float eps) {
    __shared__ Welford states[32];
    const float* row = in + blockIdx.x * cols;
    Welford mine = {0.0f, 0.0f, 0.0f};
    for (int i = threadIdx.x; i < cols; i += blockDim.x) mine.add(row[i]);
    states[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) states[threadIdx.x].merge(states[threadIdx.x + stride]);
        __syncthreads();
    }
    float mean = states[0].mean;
    float scale = rsqrtf(states[0].m2 / cols + eps);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        out[blockIdx.x * cols + i] = (row[i] - mean) * scale;
    }
}

int main() {
    const int rows = 4, cols = 50;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i) in[i] = (i * 17 % 37) * 0.1f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    layernorm<<<rows, 32>>>(d_in, d_out, cols, 1e-5f);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int row = 0; row < rows; ++row) {
        double mean = 0.0, var = 0.0;
        for (int i = 0; i < cols; ++i) mean += in[row * cols + i] / cols;
        for (int i = 0; i < cols; ++i) var += std::pow(in[row * cols + i] - mean, 2) / cols;
        for (int i = 0; i < cols; ++i) {
            double want = (in[row * cols + i] - mean) / std::sqrt(var + 1e-5);
            if (std::fabs(out[row * cols + i] - want) > 1e-3) {
                printf("out[%d][%d] is %f, not %f\n", row, i, out[row * cols + i], want);
                return 1;
            }
        }
    }
    return 0;
}
