// expect: nothing
// 2-D convolution: the filter lies in constant memory, the tile with its border in shared memory.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int R = 2;          // radius of the filter
constexpr int WIDTH = 2 * R + 1;
constexpr int TILE = 12;      // outputs per block side; the block has TILE + 2 R threads per side

__constant__ float filter[WIDTH * WIDTH];

__global__ void convolve(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[TILE + 2 * R][TILE + 2 * R];
    int x = blockIdx.x * TILE + threadIdx.x - R;
    int y = blockIdx.y * TILE + threadIdx.y - R;
    bool inside = x >= 0 && x < cols && y >= 0 && y < rows;
    tile[threadIdx.y][threadIdx.x] = inside ? in[y * cols + x] : 0.0f;
    __syncthreads();
    int row = static_cast<int>(threadIdx.y) - R, col = static_cast<int>(threadIdx.x) - R;
    if (!inside || row < 0 || row >= TILE || col < 0 || col >= TILE) return;
    float sum = 0.0f;
    for (int i = 0; i < WIDTH; ++i) {
        for (int j = 0; j < WIDTH; ++j) sum += filter[i * WIDTH + j] * tile[row + i][col + j];
    }
    out[y * cols + x] = sum;
}

int main() {
    const int rows = 30, cols = 25;
    float weights[WIDTH * WIDTH];
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < WIDTH * WIDTH; ++i) weights[i] = (i % 4) - 1.5f;
    for (int i = 0; i < rows * cols; ++i) in[i] = i * 7 % 23;
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(filter, weights, sizeof(weights));
    convolve<<<dim3(3, 3), dim3(TILE + 2 * R, TILE + 2 * R)>>>(d_in, d_out, rows, cols);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < cols; ++x) {
            float sum = 0.0f;
            for (int i = -R; i <= R; ++i) {
                for (int j = -R; j <= R; ++j) {
                    bool inside = x + j >= 0 && x + j < cols && y + i >= 0 && y + i < rows;
                    if (!inside) continue;
                    sum += weights[(i + R) * WIDTH + j + R] * in[(y + i) * cols + x + j];
                }
            }
            if (std::fabs(sum - out[y * cols + x]) > 1e-3f) {
                printf("out[%d][%d] is %f, not %f\n", y, x, out[y * cols + x], sum);
                return 1;
            }
        }
    }
    return 0;
}
