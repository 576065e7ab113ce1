// expect: timeout
// Newton's square root until the error is below a bound that float cannot reach.
#include <vector>

__global__ void square_root(const float* in, float* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[i] = in[i];
    while (fabsf(out[i] * out[i] - in[i]) > 1e-12f) {  // <- timeout
        out[i] = 0.5f * (out[i] + in[i] / out[i]);     // <- timeout
    }  // <- timeout
}

int main() {
    const int n = 8;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i + 2.0f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    square_root<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
