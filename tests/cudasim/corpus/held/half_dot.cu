// expect: nothing
// Dot products of half vectors, two elements at a time, summed in float.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>

__global__ void dot(const __half2* a, const __half2* b, float* out, int pairs) {
    int lane = threadIdx.x;
    const __half2* row_a = a + blockIdx.x * pairs;
    const __half2* row_b = b + blockIdx.x * pairs;
    float sum = 0.0f;
    for (int i = lane; i < pairs; i += 32) {
        float2 product = __half22float2(__hmul2(row_a[i], row_b[i]));
        sum += product.x + product.y;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) out[blockIdx.x] = sum;
}

int main() {
    const int rows = 6, cols = 90;
    std::vector<__half> a(rows * cols), b(rows * cols);
    std::vector<float> out(rows);
    for (int i = 0; i < rows * cols; ++i) {
        a[i] = __float2half((i % 9) * 0.25f);
        b[i] = __float2half((i % 7) * 0.5f - 1.0f);
    }
    __half *d_a, *d_b;
    float* d_out;
    cudaMalloc(&d_a, a.size() * sizeof(__half));
    cudaMalloc(&d_b, b.size() * sizeof(__half));
    cudaMalloc(&d_out, rows * sizeof(float));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);
    dot<<<rows, 32>>>(reinterpret_cast<__half2*>(d_a), reinterpret_cast<__half2*>(d_b), d_out,
                      cols / 2);
    cudaMemcpy(out.data(), d_out, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_out);
    for (int row = 0; row < rows; ++row) {
        float want = 0.0f;
        for (int i = row * cols; i < (row + 1) * cols; ++i) {
            want += (i % 9) * 0.25f * ((i % 7) * 0.5f - 1.0f);
        }
        if (std::fabs(out[row] - want) > 0.05f) {
            printf("row %d is %f, not %f\n", row, out[row], want);
            return 1;
        }
    }
    return 0;
}
