// expect: out-of-bounds
// 1-D convolution with radius R: the filter in constant memory has 2R weights, the loop wants 2R + 1.
#include <cstdio>
#include <vector>

constexpr int R = 4;
__constant__ float c_filter[2 * R];
__device__ float bias = 0.5f;

template <int BLOCK>
__global__ void conv1d(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK + 2 * R];
    const int g = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = threadIdx.x; k < BLOCK + 2 * R; k += BLOCK) {
        const int src = static_cast<int>(blockIdx.x) * BLOCK + k - R;
        tile[k] = src >= 0 && src < n ? in[src] : 0.0f;
    }
    __syncthreads();
    float s = bias;
    for (int j = -R; j <= R; ++j) s += tile[threadIdx.x + R + j] * c_filter[R + j];  // <- out-of-bounds
    if (g < n) out[g] = s;
}

int main() {
    const int n = 330;
    std::vector<float> h(n, 1.0f);
    float w[2 * R], *d_in, *d_out;
    for (float& x : w) x = 1.0f / (2 * R);
    cudaMemcpyToSymbol(c_filter, w, sizeof(w));
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    conv1d<64><<<(n + 63) / 64, 64>>>(d_in, d_out, n);
    cudaMemcpy(h.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[9]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
