// expect: race
// Double buffering with one barrier per step, but the index of the buffer never changes.
#include <vector>

constexpr int N = 32, STEP = 8;

__global__ void gemm(const float* a, const float* b, float* c) {
    __shared__ float tile_a[2][N][STEP];
    __shared__ float tile_b[2][STEP][N];
    int tid = threadIdx.x, col = tid % N;
    int buffer = 0;
    float sum[4] = {};
    for (int start = 0; start < N; start += STEP) {
        for (int i = tid; i < N * STEP; i += blockDim.x) {
            tile_a[buffer][i / STEP][i % STEP] = a[i / STEP * N + start + i % STEP];  // <- race
            tile_b[buffer][i / N][i % N] = b[(start + i / N) * N + i % N];            // <- race
        }
        __syncthreads();
        for (int k = 0; k < STEP; ++k) {
            float right = tile_b[buffer][k][col];  // <- race
            for (int i = 0; i < 4; ++i) {
                sum[i] += tile_a[buffer][tid / N * 4 + i][k] * right;  // <- race
            }
        }
        buffer = start % 2;
    }
    for (int i = 0; i < 4; ++i) c[(tid / N * 4 + i) * N + col] = sum[i];
}

int main() {
    const size_t bytes = N * N * sizeof(float);
    std::vector<float> a(N * N, 1.5f), b(N * N, 2.0f), c(N * N);
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
    gemm<<<1, 256>>>(d_a, d_b, d_c);
    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return 0;
}
