// expect: race
// may: uninitialized
// Stencil with a halo: the sum is taken without waiting for the neighbours' elements.
#include <vector>

constexpr int R = 2, THREADS = 64;

__global__ void smooth(const float* in, float* out) {
    __shared__ float tile[THREADS + 2 * R];
    int i = blockIdx.x * THREADS + threadIdx.x, local = threadIdx.x + R;
    tile[local] = in[i + R];  // <- race
    if (threadIdx.x < R) {
        tile[local - R] = in[i];                      // <- race
        tile[local + THREADS] = in[i + R + THREADS];  // <- race
    }
    float sum = 0.0f;
    for (int offset = -R; offset <= R; ++offset) {
        sum += tile[local + offset];  // <- race
    }
    out[i] = sum;
}

int main() {
    const int n = 128;
    std::vector<float> in(n + 2 * R, 1.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<2, THREADS>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
