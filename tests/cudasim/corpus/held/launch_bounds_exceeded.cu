// expect: launch
// A kernel promises at most 128 threads per block and is launched with 256; nobody looks at the error.
#include <cstdio>
#include <vector>

__global__ void __launch_bounds__(128) scale(float* x, int n, float f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

int main() {
    const int n = 700;
    std::vector<float> h(n, 1.0f);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(d, n, 2.0f);  // <- launch
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    cudaFree(d);
    return 0;
}
