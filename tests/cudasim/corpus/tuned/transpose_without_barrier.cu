// expect: race
// may: uninitialized
// Transpose through a padded tile: rows are stored and columns read with no barrier between.
#include <vector>

__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];  // <- race
    }
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];  // <- race
    }
}

int main() {
    const int n = 64;
    std::vector<float> in(n * n, 1.0f), out(n * n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * n * sizeof(float));
    cudaMalloc(&d_out, n * n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    transpose<<<dim3(2, 2), dim3(32, 8)>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
