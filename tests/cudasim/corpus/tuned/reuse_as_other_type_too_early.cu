// expect: race
// Shared bytes hold ints, then doubles; the barrier between the two uses is missing.
#include <vector>

__global__ void reuse(const int* in, double* out) {
    __shared__ __align__(16) unsigned char raw[64 * sizeof(double)];
    int tid = threadIdx.x;
    int* ints = reinterpret_cast<int*>(raw);
    double* doubles = reinterpret_cast<double*>(raw);
    ints[tid] = in[tid];
    __syncthreads();
    double value = ints[63 - tid] * 0.5;  // <- race
    doubles[tid] = value;                 // <- race
    __syncthreads();
    out[tid] = doubles[(tid + 1) % 64];
}

int main() {
    std::vector<int> in(64, 4);
    std::vector<double> out(64);
    int* d_in;
    double* d_out;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(double));
    cudaMemcpy(d_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    reuse<<<1, 64>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 64 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
