// expect: misaligned
// Three arrays carved from one dynamic buffer: flags of one byte come first, and an odd number of them.
#include <cstdio>
#include <vector>

__global__ void first_above(const double* in, double* out, int n, double limit) {
    extern __shared__ char pool[];
    char* flags = pool;
    double* values = reinterpret_cast<double*>(flags + blockDim.x);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    flags[t] = i < n && in[i] > limit;
    values[t] = i < n ? in[i] : 0.0;  // <- misaligned
    __syncthreads();
    if (t == 0) {
        double sum = 0;
        for (unsigned k = 0; k < blockDim.x; ++k)
            if (flags[k]) sum += values[k];  // <- misaligned
        out[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 150, tpb = 51, blocks = (n + tpb - 1) / tpb;
    std::vector<double> h(n, 2.0), o(blocks);
    double *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(double));
    cudaMalloc(&d_out, blocks * sizeof(double));
    cudaMemcpy(d_in, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    first_above<<<blocks, tpb, tpb * (1 + sizeof(double))>>>(d_in, d_out, n, 1.0);
    cudaMemcpy(o.data(), d_out, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", o[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
