// expect: out-of-bounds
// Jacobi step with unsigned indices: the left edge is guarded by "i >= 0", which is always true.
#include <cstdio>
#include <vector>

__global__ void jacobi(const double* u, double* v, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 0 && i < n - 1) {
        const unsigned left = i - 1;
        v[i] = 0.5 * (u[left] + u[i + 1]);  // <- out-of-bounds
    }
}

int main() {
    const unsigned n = 190;
    std::vector<double> h(n, 1.0);
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, a, n * sizeof(double), cudaMemcpyDeviceToDevice);
    jacobi<<<(n + 63) / 64, 64>>>(a, b, n);
    cudaMemcpy(h.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
