// expect: invalid-free
// One allocation holds two halves, and the second half is freed as if it were its own.
#include <vector>

__global__ void add_halves(const float* a, const float* b, float* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

int main() {
    const int n = 30;
    std::vector<float> in(2 * n, 1.0f);
    float *d_in, *d_out;
    cudaMalloc(&d_in, 2 * n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    float* d_second = d_in + n;
    cudaMemcpy(d_in, in.data(), 2 * n * sizeof(float), cudaMemcpyHostToDevice);
    add_halves<<<1, 32>>>(d_in, d_second, d_out, n);
    cudaDeviceSynchronize();
    cudaFree(d_second);  // <- invalid-free
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
