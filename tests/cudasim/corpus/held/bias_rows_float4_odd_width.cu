// expect: misaligned
// Rows of 50 floats are read as float4: every second row begins 8 bytes off.
#include <cstdio>
#include <vector>

using v4 = float4;
#define LOAD4(p) (*reinterpret_cast<const v4*>(&(p)))
#define STORE4(p) (*reinterpret_cast<v4*>(&(p)))

__device__ float swish(float x) { return x / (1.0f + __expf(-x)); }

__global__ void bias_swish(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int rows, int width) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= rows || col + 3 >= width) return;
    v4 b = LOAD4(bias[col]);
    v4 a = LOAD4(x[row * width + col]);  // <- misaligned
    v4 r;
    r.x = swish(a.x + b.x), r.y = swish(a.y + b.y), r.z = swish(a.z + b.z), r.w = swish(a.w + b.w);
    STORE4(y[row * width + col]) = r;
}

int main() {
    int rows = 9, width = 50;
    std::vector<float> x(rows * width, 0.5f), b(width, 1.f);
    float *dx, *db, *dy;
    cudaMalloc(&dx, sizeof(float) * rows * width);
    cudaMalloc(&dy, sizeof(float) * rows * width);
    cudaMalloc(&db, sizeof(float) * width);
    cudaMemcpy(dx, x.data(), sizeof(float) * rows * width, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(float) * width, cudaMemcpyHostToDevice);
    dim3 threads(8, 4), blocks((width / 4 + 7) / 8, (rows + 3) / 4);
    bias_swish<<<blocks, threads>>>(dx, db, dy, rows, width);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(e));
    cudaFree(dx);
    cudaFree(db);
    cudaFree(dy);
    return 0;
}
