// expect: uninitialized
// Matrix times vector: the vector is copied with its number of elements where bytes are wanted.
#include <iostream>
#include <memory>

__global__ void matvec(const double* m, const double* v, double* out, unsigned rows, unsigned cols) {
    extern __shared__ double cache[];
    for (unsigned c = threadIdx.x; c < cols; c += blockDim.x) cache[c] = v[c];  // <- uninitialized
    __syncthreads();
    const unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        double dot = 0;
        for (unsigned c = 0; c < cols; ++c) dot += m[r * cols + c] * cache[c];  // <- uninitialized
        out[r] = dot;
    }
}

int main() {
    const unsigned rows = 90, cols = 33;
    auto m = std::make_unique<double[]>(rows * cols);
    auto v = std::make_unique<double[]>(cols);
    auto out = std::make_unique<double[]>(rows);
    for (unsigned i = 0; i < rows * cols; ++i) m[i] = i % 10;
    for (unsigned i = 0; i < cols; ++i) v[i] = 1.0 / (i + 1);
    double *dm, *dv, *dout;
    cudaMalloc(&dm, rows * cols * sizeof(double));
    cudaMalloc(&dv, cols * sizeof(double));
    cudaMalloc(&dout, rows * sizeof(double));
    cudaMemcpy(dm, m.get(), rows * cols * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.get(), cols, cudaMemcpyHostToDevice);
    matvec<<<3, 32, cols * sizeof(double)>>>(dm, dv, dout, rows, cols);
    cudaMemcpy(out.get(), dout, rows * sizeof(double), cudaMemcpyDeviceToHost);
    std::cout << out[0] << '\n';
    cudaFree(dm);
    cudaFree(dv);
    cudaFree(dout);
    return 0;
}
