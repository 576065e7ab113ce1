// expect: race
// Several Jacobi steps in one launch, parted by __syncthreads where grid.sync is needed.
#include <vector>

__global__ void jacobi(float* a, float* b, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        float* in = step % 2 == 0 ? a : b;
        float* out = step % 2 == 0 ? b : a;
        float left = i > 0 ? in[i - 1] : 0.0f;       // <- race
        float right = i < n - 1 ? in[i + 1] : 0.0f;  // <- race
        out[i] = 0.5f * (left + right);              // <- race
        __syncthreads();
    }
}

int main() {
    const int n = 128;
    std::vector<float> grid(n, 1.0f);
    float *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMemcpy(d_a, grid.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, grid.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    jacobi<<<4, n / 4>>>(d_a, d_b, n, 4);
    cudaMemcpy(grid.data(), d_a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    return 0;
}
