// expect: nothing
// Rows with a pitch, copied in and out by cudaMemcpy2D; the padding is never touched.
#include <cstdio>
#include <vector>

__global__ void blur(const char* in, char* out, size_t pitch, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) return;
    const int* row = reinterpret_cast<const int*>(in + y * pitch);
    int left = x > 0 ? row[x - 1] : row[x];
    int right = x + 1 < cols ? row[x + 1] : row[x];
    reinterpret_cast<int*>(out + y * pitch)[x] = left + 2 * row[x] + right;
}

int main() {
    const int rows = 9, cols = 37;
    std::vector<int> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; ++i) in[i] = i * 3 % 40;
    void *d_in, *d_out;
    size_t pitch, width = cols * sizeof(int);
    cudaMallocPitch(&d_in, &pitch, width, rows);
    cudaMallocPitch(&d_out, &pitch, width, rows);
    cudaMemcpy2D(d_in, pitch, in.data(), width, width, rows, cudaMemcpyHostToDevice);
    blur<<<dim3(3, 3), dim3(13, 4)>>>(static_cast<char*>(d_in), static_cast<char*>(d_out), pitch,
                                      rows, cols);
    cudaMemcpy2D(out.data(), width, d_out, pitch, width, rows, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < rows * cols; ++i) {
        int x = i % cols;
        int want = (x > 0 ? in[i - 1] : in[i]) + 2 * in[i] + (x + 1 < cols ? in[i + 1] : in[i]);
        if (out[i] != want) {
            printf("out[%d] is %d, not %d\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}
