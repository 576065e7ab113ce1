// expect: misaligned
// Dynamic shared memory carved into floats first, doubles second: with 33 floats they are askew.
#include <vector>

__global__ void mean_shift(const float* in, double* out, int n) {
    extern __shared__ __align__(16) unsigned char pool[];
    float* values = reinterpret_cast<float*>(pool);
    double* sums = reinterpret_cast<double*>(values + n);
    int tid = threadIdx.x;
    values[tid] = in[tid];
    __syncthreads();
    sums[tid] = values[tid] + static_cast<double>(values[(tid + 1) % n]);  // <- misaligned
    __syncthreads();
    out[tid] = sums[n - 1 - tid];  // <- misaligned
}

int main() {
    const int n = 33;
    std::vector<float> in(n, 1.0f);
    std::vector<double> out(n);
    float* d_in;
    double* d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(double));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    mean_shift<<<1, n, n * (sizeof(float) + sizeof(double))>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
