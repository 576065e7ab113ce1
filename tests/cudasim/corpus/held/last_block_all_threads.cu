// expect: nothing
// Column sums: every thread publishes its own value, the whole last block gathers them.
#include <cstdio>
#include <vector>

constexpr int COLS = 48;
constexpr int ROWS_PER_BLOCK = 5;

__global__ void column_sums(const int* in, int* partial, int* out, unsigned* done, int rows) {
    __shared__ unsigned ticket;
    int col = threadIdx.x;
    int first = blockIdx.x * ROWS_PER_BLOCK;
    int sum = 0;
    for (int row = first; row < first + ROWS_PER_BLOCK && row < rows; ++row) {
        sum += in[row * COLS + col];
    }
    partial[blockIdx.x * COLS + col] = sum;
    __threadfence();   // each thread publishes what it wrote ...
    __syncthreads();   // ... before the one that takes the ticket goes on
    if (col == 0) ticket = atomicAdd(done, 1u);
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    __threadfence();
    int total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block * COLS + col];
    out[col] = total;
}

int main() {
    const int rows = 33, blocks = (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    std::vector<int> in(rows * COLS), out(COLS);
    for (int i = 0; i < rows * COLS; ++i) in[i] = i * 11 % 29;
    int *d_in, *d_partial, *d_out;
    unsigned* d_done;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_partial, blocks * COLS * sizeof(int));
    cudaMalloc(&d_out, COLS * sizeof(int));
    cudaMalloc(&d_done, sizeof(unsigned));
    cudaMemset(d_done, 0, sizeof(unsigned));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    column_sums<<<blocks, COLS>>>(d_in, d_partial, d_out, d_done, rows);
    cudaMemcpy(out.data(), d_out, COLS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    cudaFree(d_done);
    for (int col = 0; col < COLS; ++col) {
        int want = 0;
        for (int row = 0; row < rows; ++row) want += in[row * COLS + col];
        if (out[col] != want) {
            printf("column %d is %d, not %d\n", col, out[col], want);
            return 1;
        }
    }
    return 0;
}
