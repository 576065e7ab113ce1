// expect: out-of-bounds
// The row pitch of a wide image is taken for its height and the other way round.
#include <vector>

__global__ void invert(const unsigned char* in, unsigned char* out, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) {
        out[x * cols + y] = 255 - in[y * cols + x];  // <- out-of-bounds
    }
}

int main() {
    const int rows = 20, cols = 50, n = rows * cols;
    std::vector<unsigned char> in(n, 7), out(n);
    unsigned char *d_in, *d_out;
    cudaMalloc(&d_in, n);
    cudaMalloc(&d_out, n);
    cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice);
    invert<<<dim3(4, 2), dim3(16, 16)>>>(d_in, d_out, rows, cols);
    cudaMemcpy(out.data(), d_out, n, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
