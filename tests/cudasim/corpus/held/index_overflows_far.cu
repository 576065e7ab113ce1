// expect: out-of-bounds
// may: race uninitialized
// The batch stride is multiplied twice, which leads far away from the buffer.
#include <vector>

__global__ void shift(const double* in, double* out, int length) {
    int stride = blockIdx.x * length;
    out[stride + threadIdx.x] = in[stride * length + threadIdx.x] + 1.0;  // <- out-of-bounds
}

int main() {
    const int batch = 64, length = 32, n = batch * length;
    std::vector<double> in(n, 1.0), out(n);
    double *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(double));
    cudaMalloc(&d_out, n * sizeof(double));
    cudaMemcpy(d_in, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    shift<<<batch, length>>>(d_in, d_out, length);
    cudaMemcpy(out.data(), d_out, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
