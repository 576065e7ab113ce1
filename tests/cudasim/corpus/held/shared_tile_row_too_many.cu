// expect: out-of-bounds
// A 2-D tile with a halo below: the row for it is stored, but the tile has no such row.
#include <vector>

constexpr int T = 8;

__global__ void vertical(const int* in, int* out, int cols) {
    __shared__ int tile[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * cols + x];
    if (y == T - 1) tile[y + 1][x] = in[(y + 1) * cols + x];  // <- out-of-bounds
    __syncthreads();
    out[y * cols + x] = tile[y][x] - tile[y + 1][x];  // <- out-of-bounds
}

int main() {
    std::vector<int> in((T + 1) * T, 1), out(T * T);
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    vertical<<<1, dim3(T, T)>>>(d_in, d_out, T);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
