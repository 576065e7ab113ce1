// expect: nothing
// Each thread computes a 4 x 4 patch of C in registers; two tile buffers, one barrier per step.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int BLOCK = 32;  // rows and columns of C per block
constexpr int STEP = 8;    // depth of one tile
constexpr int PATCH = 4;   // rows and columns of C per thread

__global__ void gemm(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[2][STEP][BLOCK + 1];
    __shared__ float tile_b[2][STEP][BLOCK];
    int tid = threadIdx.x;
    int row0 = tid / (BLOCK / PATCH) * PATCH, col0 = tid % (BLOCK / PATCH) * PATCH;
    const float* block_a = a + blockIdx.y * BLOCK * n;
    const float* block_b = b + blockIdx.x * BLOCK;
    float sum[PATCH][PATCH] = {};
    for (int start = 0, buffer = 0; start < n; start += STEP, buffer ^= 1) {
        for (int i = tid; i < STEP * BLOCK; i += blockDim.x) {
            tile_a[buffer][i % STEP][i / STEP] = block_a[i / STEP * n + start + i % STEP];
            tile_b[buffer][i / BLOCK][i % BLOCK] = block_b[(start + i / BLOCK) * n + i % BLOCK];
        }
        __syncthreads();
        for (int k = 0; k < STEP; ++k) {
            float left[PATCH], right[PATCH];
            for (int i = 0; i < PATCH; ++i) left[i] = tile_a[buffer][k][row0 + i];
            for (int j = 0; j < PATCH; ++j) right[j] = tile_b[buffer][k][col0 + j];
            for (int i = 0; i < PATCH; ++i) {
                for (int j = 0; j < PATCH; ++j) sum[i][j] += left[i] * right[j];
            }
        }
    }
    for (int i = 0; i < PATCH; ++i) {
        for (int j = 0; j < PATCH; ++j) {
            c[(blockIdx.y * BLOCK + row0 + i) * n + blockIdx.x * BLOCK + col0 + j] = sum[i][j];
        }
    }
}

int main() {
    const int n = 64;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = (i * 3 % 17) * 0.25f;
        b[i] = (i * 5 % 19) * 0.5f - 4.0f;
    }
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
    gemm<<<dim3(n / BLOCK, n / BLOCK), BLOCK * BLOCK / (PATCH * PATCH)>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    for (int i = 0; i < n * n; ++i) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        if (std::fabs(sum - c[i]) > 1e-2f) {
            printf("c[%d] is %f, not %f\n", i, c[i], sum);
            return 1;
        }
    }
    return 0;
}
