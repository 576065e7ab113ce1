// expect: nothing
// Top-k of each row: k rounds of a block maximum; the winner strikes its element out.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

constexpr int K = 4;

__global__ void topk(const int* in, int* out, int cols) {
    extern __shared__ int row[];
    __shared__ int best;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) row[i] = in[blockIdx.x * cols + i];
    for (int k = 0; k < K; ++k) {
        if (threadIdx.x == 0) best = -1;
        __syncthreads();
        for (int i = threadIdx.x; i < cols; i += blockDim.x) atomicMax(&best, row[i] * 256 + i);
        __syncthreads();
        int winner = best % 256;
        if (threadIdx.x == winner % blockDim.x) {
            out[blockIdx.x * K + k] = row[winner];
            row[winner] = 0;
        }
        __syncthreads();
    }
}

int main() {
    const int rows = 3, cols = 110;
    std::vector<int> in(rows * cols), out(rows * K);
    for (int i = 0; i < rows * cols; ++i) in[i] = 1 + i * 389 % 1009;
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    topk<<<rows, 48, cols * sizeof(int)>>>(d_in, d_out, cols);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int row = 0; row < rows; ++row) {
        std::sort(in.begin() + row * cols, in.begin() + (row + 1) * cols, std::greater<int>());
        for (int k = 0; k < K; ++k) {
            if (out[row * K + k] != in[row * cols + k]) {
                printf("row %d, rank %d is %d\n", row, k, out[row * K + k]);
                return 1;
            }
        }
    }
    return 0;
}
