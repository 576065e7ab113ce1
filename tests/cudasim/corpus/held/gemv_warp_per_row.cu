// expect: nothing
// y = A x with one warp per row: float2 loads, a tail, the vector in constant memory, pitched matrix.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int MAX_COLS = 512;
__constant__ float c_x[MAX_COLS];

__global__ void gemv(const float* A, size_t pitch, float* y, int rows, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    if (row >= rows) return;  // a whole warp leaves or stays
    const int lane = threadIdx.x & 31;
    const float* a = (const float*)((const char*)A + row * pitch);
    float acc = 0.0f;
    for (int c = lane; c < cols / 2; c += 32) {
        const float2 v = ((const float2*)a)[c];
        acc += v.x * c_x[2 * c] + v.y * c_x[2 * c + 1];
    }
    if ((cols & 1) && lane == 0) acc += a[cols - 1] * c_x[cols - 1];
    for (int m = 16; m >= 1; m >>= 1) acc += __shfl_xor_sync(0xffffffff, acc, m);
    if (lane == 0) y[row] = acc;
}

int main() {
    const int rows = 45, cols = 203;
    std::vector<float> A(rows * cols), x(cols), y(rows);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.01f * float(i % 100);
    for (int i = 0; i < cols; ++i) x[i] = 1.0f - 0.01f * i;
    float *dA, *dy;
    size_t pitch = 0;
    cudaMallocPitch((void**)&dA, &pitch, cols * sizeof(float), rows);
    cudaMalloc((void**)&dy, rows * sizeof(float));
    cudaMemcpy2D(dA, pitch, A.data(), cols * sizeof(float), cols * sizeof(float), rows, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(c_x, x.data(), cols * sizeof(float));
    gemv<<<(rows * 32 + 127) / 128, 128>>>(dA, pitch, dy, rows, cols);
    if (cudaGetLastError() != cudaSuccess) return 2;
    cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dy);
    for (int r = 0; r < rows; ++r) {
        double want = 0;
        for (int c = 0; c < cols; ++c) want += double(A[r * cols + c]) * x[c];
        if (std::fabs(want - y[r]) > 1e-3) { printf("row %d: %f, not %f\n", r, y[r], want); return 1; }
    }
    return 0;
}
