// expect: nothing
// Persistent blocks draw rows from a queue: the index passes through shared memory each round.
#include <cstdio>
#include <vector>

__global__ void row_sums(const int* in, int* out, int rows, int cols, int* next_row) {
    __shared__ int row, sum;
    while (true) {
        if (threadIdx.x == 0) {
            row = atomicAdd(next_row, 1);
            sum = 0;
        }
        __syncthreads();
        if (row >= rows) break;  // the same for all threads of the block
        for (int i = threadIdx.x; i < cols; i += blockDim.x) atomicAdd(&sum, in[row * cols + i]);
        __syncthreads();
        if (threadIdx.x == 0) out[row] = sum;
    }
}

int main() {
    const int rows = 40, cols = 55;
    std::vector<int> in(rows * cols), out(rows);
    for (int i = 0; i < rows * cols; ++i) in[i] = i * 3 % 25;
    int *d_in, *d_out, *d_next;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, rows * sizeof(int));
    cudaMalloc(&d_next, sizeof(int));
    cudaMemset(d_next, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    row_sums<<<3, 50>>>(d_in, d_out, rows, cols, d_next);
    cudaMemcpy(out.data(), d_out, rows * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_next);
    for (int row = 0; row < rows; ++row) {
        int want = 0;
        for (int i = 0; i < cols; ++i) want += in[row * cols + i];
        if (out[row] != want) {
            printf("row %d is %d, not %d\n", row, out[row], want);
            return 1;
        }
    }
    return 0;
}
