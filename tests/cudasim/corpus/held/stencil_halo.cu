// expect: nothing
// 1-D stencil with a halo in shared memory, ping-pong between two buffers over several launches.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int RADIUS = 3;
constexpr int THREADS = 48;

__global__ void smooth(const float* in, float* out, int n) {
    __shared__ float tile[THREADS + 2 * RADIUS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int local = threadIdx.x + RADIUS;
    tile[local] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < RADIUS) {
        tile[local - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
        tile[local + THREADS] = i + THREADS < n ? in[i + THREADS] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int offset = -RADIUS; offset <= RADIUS; ++offset) sum += tile[local + offset];
    if (i < n) out[i] = sum / (2 * RADIUS + 1);
}

int main() {
    const int n = 200, steps = 5;
    std::vector<float> grid(n), next(n);
    for (int i = 0; i < n; ++i) grid[i] = i % 10;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, grid.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int step = 0; step < steps; ++step) {
        smooth<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_in, d_out, n);
        std::swap(d_in, d_out);
        for (int i = 0; i < n; ++i) {
            float sum = 0.0f;
            for (int j = i - RADIUS; j <= i + RADIUS; ++j) sum += j >= 0 && j < n ? grid[j] : 0.0f;
            next[i] = sum / (2 * RADIUS + 1);
        }
        std::swap(grid, next);
    }
    cudaMemcpy(next.data(), d_in, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        if (std::fabs(grid[i] - next[i]) > 1e-4f) {
            printf("out[%d] is %f, not %f\n", i, next[i], grid[i]);
            return 1;
        }
    }
    return 0;
}
