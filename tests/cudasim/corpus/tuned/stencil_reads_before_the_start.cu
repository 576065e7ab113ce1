// expect: out-of-bounds
// The left halo of the first block is fetched without asking whether it exists.
#include <vector>

constexpr int R = 3, THREADS = 32;

__global__ void smooth(const float* in, float* out, int n) {
    __shared__ float tile[THREADS + 2 * R];
    int i = blockIdx.x * THREADS + threadIdx.x, local = threadIdx.x + R;
    tile[local] = in[i];
    if (threadIdx.x < R) {
        tile[local - R] = in[i - R];  // <- out-of-bounds
        tile[local + THREADS] = i + THREADS < n ? in[i + THREADS] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int offset = -R; offset <= R; ++offset) sum += tile[local + offset];
    out[i] = sum;
}

int main() {
    const int n = 96;
    std::vector<float> in(n, 1.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<n / THREADS, THREADS>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
