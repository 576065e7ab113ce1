// expect: nothing
// Batched matrix times vector, a warp per row; the vector is staged once per block.
#include <cstdio>
#include <vector>

template <int COLS>
__global__ void __launch_bounds__(128) matvec(const int* __restrict__ a, const int* __restrict__ x,
                                              int* __restrict__ y, int rows) {
    __shared__ int vector[COLS];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int* input = x + blockIdx.y * COLS;
    for (int i = threadIdx.x; i < COLS; i += blockDim.x) vector[i] = __ldg(&input[i]);
    __syncthreads();
    int row = blockIdx.x * (blockDim.x / 32) + warp;
    if (row >= rows) return;
    const int* line = a + (blockIdx.y * rows + row) * COLS;
    int sum = 0;
    for (int i = lane; i < COLS; i += 32) sum += line[i] * vector[i];
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (lane == 0) y[blockIdx.y * rows + row] = sum;
}

int main() {
    const int batch = 3, rows = 10, cols = 70;
    std::vector<int> a(batch * rows * cols), x(batch * cols), y(batch * rows);
    for (size_t i = 0; i < a.size(); ++i) a[i] = i * 11 % 19;
    for (size_t i = 0; i < x.size(); ++i) x[i] = i * 5 % 13 - 6;
    int *d_a, *d_x, *d_y;
    cudaMalloc(&d_a, a.size() * sizeof(int));
    cudaMalloc(&d_x, x.size() * sizeof(int));
    cudaMalloc(&d_y, y.size() * sizeof(int));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice);
    matvec<cols><<<dim3(3, batch), 128>>>(d_a, d_x, d_y, rows);
    cudaMemcpy(y.data(), d_y, y.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_x);
    cudaFree(d_y);
    for (int i = 0; i < batch * rows; ++i) {
        int want = 0;
        for (int c = 0; c < cols; ++c) want += a[i * cols + c] * x[i / rows * cols + c];
        if (y[i] != want) {
            printf("y[%d] is %d, not %d\n", i, y[i], want);
            return 1;
        }
    }
    return 0;
}
