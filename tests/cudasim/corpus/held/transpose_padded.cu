// expect: nothing
// Transpose through a padded tile: a 32 x 8 block moves a 32 x 32 tile in four steps.
#include <cstdio>
#include <vector>

__global__ void transpose(const int* in, int* out, int rows, int cols) {
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

int main() {
    const int rows = 70, cols = 45;
    std::vector<int> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i) in[i] = i * 3 + 1;
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    transpose<<<dim3(2, 3), dim3(32, 8)>>>(d_in, d_out, rows, cols);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < cols; ++x) {
            if (out[x * rows + y] != in[y * cols + x]) {
                printf("out[%d][%d] is %d\n", x, y, out[x * rows + y]);
                return 1;
            }
        }
    }
    return 0;
}
