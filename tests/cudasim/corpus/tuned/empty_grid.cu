// expect: launch
// The number of blocks is rounded down, and the input is shorter than a block.
#include <vector>

__global__ void negate(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -x[i];
}

int main() {
    int n = 100, threads = 128;
    std::vector<int> x(n, 1);
    int* d_x;
    cudaMalloc(&d_x, n * sizeof(int));
    cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    negate<<<n / threads, threads>>>(d_x, n);  // <- launch
    cudaDeviceSynchronize();
    cudaFree(d_x);
    return 0;
}
