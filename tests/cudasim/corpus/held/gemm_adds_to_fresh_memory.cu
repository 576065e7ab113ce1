// expect: uninitialized
// The product is added to C, as if cudaMalloc had filled it with zeros.
#include <vector>

__global__ void gemm(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] += sum;  // <- uninitialized
}

int main() {
    const int n = 16;
    std::vector<float> a(n * n, 1.0f), c(n * n);
    float *d_a, *d_c;
    cudaMalloc(&d_a, n * n * sizeof(float));
    cudaMalloc(&d_c, n * n * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    gemm<<<dim3(2, 2), dim3(8, 8)>>>(d_a, d_a, d_c, n);
    cudaMemcpy(c.data(), d_c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_c);
    return 0;
}
