// expect: race
// Smoothing in place in global memory: neighbours read what others have already replaced.
#include <vector>

__global__ void smooth(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float mean = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;  // <- race
        x[i] = mean;                                       // <- race
    }
}

int main() {
    const int n = 200;
    std::vector<float> x(n, 1.0f);
    float* d_x;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<4, 64>>>(d_x, n);
    cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    return 0;
}
