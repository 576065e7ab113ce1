// expect: out-of-bounds
// The grid is rounded up to whole blocks, but the kernel does not test the index.
#include <vector>

__global__ void saxpy(float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];  // <- out-of-bounds
}

int main() {
    const int n = 1000;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(2.0f, d_x, d_y);
    cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
