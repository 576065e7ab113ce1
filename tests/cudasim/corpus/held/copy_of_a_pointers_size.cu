// expect: uninitialized
// sizeof of the vector's pointer, not of its contents: only eight bytes are copied.
#include <vector>

__global__ void square(const float* in, float* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // <- uninitialized
}

int main() {
    const int n = 50;
    std::vector<float> in(n, 3.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), sizeof(in.data()), cudaMemcpyHostToDevice);
    square<<<1, 64>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
