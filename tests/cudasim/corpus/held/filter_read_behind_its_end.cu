// expect: out-of-bounds
// The convolution runs one weight too far through the filter in constant memory.
#include <vector>

constexpr int TAPS = 7;

__constant__ float filter[TAPS];

__global__ void convolve(const float* in, float* out, int n, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k <= taps; ++k) {
        sum += filter[k] * in[i + k];  // <- out-of-bounds
    }
    out[i] = sum;
}

int main() {
    const int n = 64;
    std::vector<float> in(n + TAPS, 1.0f), weights(TAPS, 0.5f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(filter, weights.data(), TAPS * sizeof(float));
    convolve<<<2, 32>>>(d_in, d_out, n, TAPS);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
